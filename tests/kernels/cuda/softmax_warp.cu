// Row softmax, one warp per row, shuffles for maximum and sum; template over the element type, half included.
#include <cuda_fp16.h>

#include <algorithm>

#include "check.h"

template <class T>
__device__ float widen(T value) { return static_cast<float>(value); }

template <class T>
__global__ void softmax(const T* in, T* out, int rows, int columns) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (warp >= rows) return;
  const T* row = in + warp * columns;
  float top = -INFINITY;
  for (int i = lane; i < columns; i += warpSize) top = fmaxf(top, widen(row[i]));
  for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, offset));
  float sum = 0;
  for (int i = lane; i < columns; i += warpSize) sum += __expf(widen(row[i]) - top);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  for (int i = lane; i < columns; i += warpSize) out[warp * columns + i] = static_cast<T>(__expf(widen(row[i]) - top) / sum);
}

template <class T>
void test(int rows, int columns, double tolerance) {
  Inputs inputs;
  std::vector<float> values = inputs.floats(rows * columns), wanted(values.size()), got(values.size());
  std::vector<T> small(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) small[i] = T(values[i] * 4);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(double(float(small[r * columns + c])));
    for (int c = 0; c < columns; ++c) wanted[r * columns + c] = float(std::exp(double(float(small[r * columns + c]))) / sum);
  }
  OnCard<T> in(small), out(small.size());
  softmax<T><<<(rows * 32 + 127) / 128, 128>>>(in, out, rows, columns);
  CHECK(cudaDeviceSynchronize());
  std::vector<T> raw = out.fetch();
  for (std::size_t i = 0; i < raw.size(); ++i) got[i] = float(raw[i]);
  same(got, wanted, tolerance);
}

int main() {
  test<float>(9, 77, 1e-6);
  test<__half>(5, 40, 1e-3);
}
