// Functions that return references or pointers, references bound to moving places, structures made of their own members,
// variables whose address is taken.
#include "check.h"

template <class T>
struct Pack {
  T part[4];
  __device__ T& operator[](int i) { return part[i]; }
  __device__ const T& operator[](int i) const { return part[i]; }
  __device__ Pack& scale(T by) {
    for (int i = 0; i < 4; ++i) part[i] *= by;
    return *this;
  }
  __device__ Pack& shift(T by) {
    for (int i = 0; i < 4; ++i) this->part[i] += by;
    return *this;
  }
};
struct Point {
  float x, y;
};

__device__ float& cell(float* row, int i) { return row[i]; }
__device__ float& chosen(float* row, int i, bool second) {
  if (second) return row[2 * i + 1];
  return row[2 * i];
}
__device__ const float* further(const float* row, int i) {
  if (i % 3 == 0) return row + i;
  return row + i / 2;
}
__device__ void bump_then_store(float& place, int& i) {
  i += 7;
  place = static_cast<float>(i);
}
__device__ void split(float value, float* whole, float* rest) {
  *whole = floorf(value);
  *rest = value - *whole;
}
__device__ float& part_of(float4& four, int i) { return reinterpret_cast<float*>(&four)[i]; }

__global__ void packs(const float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pack<float> pack;
  for (int k = 0; k < 4; ++k) pack[k] = a[(i + k) % n];
  pack.scale(2.0f).shift(1.0f)[3] = -5.0f;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum = sum * 3.0f + pack[k];
  out[i] = sum;
}

__global__ void places(float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cell(a, 3 * i) = b[i] + 1.0f;
  chosen(a, i + n * 2, i % 2 == 1) += b[i];
  int at = i;
  bump_then_store(out[at], at);
  Point p = {b[i], 2.0f * b[i]};
  p = {p.y, p.x};
  p = Point{p.x + p.y, p.x - p.y};
  float whole, rest;
  split(p.x, &whole, &rest);
  float4 four = make_float4(whole, rest, p.y, *further(b, i));
  part_of(four, i % 4) += 100.0f;
  int k = 0;
  out[n + i] = part_of(four, 0) + 2.0f * four.y + 3.0f * four.z + 4.0f * four.w;
  out[2 * n + (k++) * n + i] = static_cast<float>(k) + four.x;
  const float* from = b;
  float first = from[i];
  from = a + 3 * i;
  out[3 * n + i] = first - *from;
}

int main() {
  for (int n : {1, 31, 200, 333}) {
    std::vector<float> b = floats(n), a(6 * n, 0.0f), packed(n), out(4 * n);
    float *device_a = to_card(a), *device_b = to_card(b), *device_out = to_card(out), *device_packed = to_card(packed);
    packs<<<(n + 63) / 64, 64>>>(device_b, device_packed, n);
    places<<<(n + 63) / 64, 64>>>(device_a, device_b, device_out, n);
    packed = from_card(device_packed, n);
    out = from_card(device_out, 4 * n);
    a = from_card(device_a, 6 * n);
    CHECK(cudaFree(device_b));
    for (int i = 0; i < n; ++i) {
      float pack[4], sum = 0;
      for (int k = 0; k < 4; ++k) pack[k] = b[(i + k) % n] * 2.0f + 1.0f;
      pack[3] = -5.0f;
      for (int k = 0; k < 4; ++k) sum = sum * 3.0f + pack[k];
      expect(packed[i], sum, 1e-5, "pack", i);
      expect(out[i], i + 7, 0, "bump", i);
      const float x = 3.0f * b[i], y = b[i];
      float four[4] = {std::floor(x), x - std::floor(x), y, b[i % 3 == 0 ? i : i / 2]};
      four[i % 4] += 100.0f;
      expect(out[n + i], four[0] + 2.0f * four[1] + 3.0f * four[2] + 4.0f * four[3], 1e-4, "parts", i);
      expect(out[2 * n + i], four[0], 1e-4, "kept", i);
      expect(out[3 * n + i], b[i] - (b[i] + 1.0f), 1e-4, "aimed", i);
      expect(a[2 * (i + n * 2) + i % 2], b[i], 0, "chosen", i);
    }
  }
  std::puts("right");
  return 0;
}
