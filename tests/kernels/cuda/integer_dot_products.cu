// Quantised products: __dp4a on char4, per-row scales, integer intrinsics against plain loops.
#include <cstring>

#include "check.h"

__global__ void product(const int* a, const int* b, const float* scale_a, const float* scale_b, float* c, int n, int words) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  int sum = 0;
#pragma unroll 4
  for (int i = 0; i < words; ++i) sum = __dp4a(a[row * words + i], b[column * words + i], sum);
  c[row * n + column] = sum * scale_a[row] * scale_b[column];
}
__global__ void bits(const unsigned* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* to = out + i * 8;
  to[0] = __popc(x[i]), to[1] = __clz(x[i]), to[2] = __ffs(x[i]), to[3] = int(__brev(x[i]));
  to[4] = __mulhi(int(x[i]), 12345), to[5] = int(__umul24(x[i], 77)), to[6] = __hadd(int(x[i]), 9), to[7] = int(__funnelshift_l(x[i], ~x[i], 5));
}

int main() {
  const int m = 5, n = 40, k = 64;
  Inputs inputs;
  std::vector<signed char> a(m * k), b(n * k);
  for (auto& v : a) v = (signed char)(int(inputs.next() % 255) - 127);
  for (auto& v : b) v = (signed char)(int(inputs.next() % 255) - 127);
  const std::vector<float> sa = inputs.floats(m), sb = inputs.floats(n);
  OnCard<signed char> ca(a), cb(b);
  OnCard<float> csa(sa), csb(sb), c(m * n);
  product<<<dim3(2, m), 32>>>(reinterpret_cast<int*>(ca.data), reinterpret_cast<int*>(cb.data), csa, csb, c, n, k / 4);
  const std::vector<float> got = c.fetch();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
      EXPECT(got[i * n + j] == sum * sa[i] * sb[j]);
    }
  std::vector<unsigned> x(50);
  for (unsigned& v : x) v = inputs.next() * 2654435761u;
  x[0] = 0, x[1] = ~0u;
  OnCard<unsigned> cx(x);
  OnCard<int> out(x.size() * 8);
  bits<<<2, 32>>>(cx, out, int(x.size()));
  const std::vector<int> seen = out.fetch();
  for (std::size_t i = 0; i < x.size(); ++i) {
    unsigned reversed = 0, v = x[i];
    int ones = 0, leading = 32, first = 0;
    for (int bit = 0; bit < 32; ++bit) {
      if ((v >> bit & 1) == 0) continue;
      reversed |= 1u << (31 - bit), ++ones, leading = 31 - bit;
      if (first == 0) first = bit + 1;
    }
    EXPECT(seen[i * 8] == ones && seen[i * 8 + 1] == leading && seen[i * 8 + 2] == first && seen[i * 8 + 3] == int(reversed));
    EXPECT(seen[i * 8 + 4] == int((long long)int(v) * 12345 >> 32) && seen[i * 8 + 5] == int((v & 0xffffff) * 77));
    EXPECT(seen[i * 8 + 6] == int(((long long)int(v) + 9) >> 1) && unsigned(seen[i * 8 + 7]) == (~v << 5 | v >> 27));
  }
  return 0;
}
