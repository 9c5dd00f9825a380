// Histograms: shared then global atomics; every integer atomic and the float ones against sequential results.
#include <algorithm>

#include "check.h"

__global__ void histogram(const int* values, int count, unsigned* bins, int bin_count) {
  extern __shared__ unsigned own[];
  for (int i = threadIdx.x; i < bin_count; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) atomicAdd(&own[values[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < bin_count; i += blockDim.x) atomicAdd(&bins[i], own[i]);
}

__global__ void everything(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], t);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicAnd(&u[0], ~(1u << (t % 31)));
  atomicOr(&u[1], 1u << (t % 31));
  atomicXor(&u[2], unsigned(t));
  atomicInc(&u[3], 6);
  atomicDec(&u[4], 6);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)t << 40);
  atomicAdd(&f[0], 0.25f);
  atomicAdd(&d[0], 0.5);
  // A maximum of floats by compare and swap.
  unsigned* bits = reinterpret_cast<unsigned*>(&f[1]);
  unsigned old = atomicCAS(bits, 0u, 0u);
  while (__uint_as_float(old) < float(t)) {
    unsigned seen = atomicCAS(bits, old, __float_as_uint(float(t)));
    if (seen == old) break;
    old = seen;
  }
}

int main() {
  const int count = 5000, bin_count = 37;
  Inputs inputs;
  std::vector<int> values = inputs.ints(count, bin_count);
  std::vector<unsigned> wanted(bin_count);
  for (int value : values) ++wanted[value];
  OnCard<int> in(values);
  OnCard<unsigned> bins(bin_count);
  bins.zero();
  histogram<<<4, 96, bin_count * sizeof(unsigned)>>>(in, count, bins, bin_count);
  CHECK(cudaGetLastError());
  EXPECT(bins.fetch() == wanted);

  OnCard<int> i(std::vector<int>{0, 0, 0, 0});
  OnCard<unsigned> u(std::vector<unsigned>{~0u, 0, 0, 0, 3});
  OnCard<unsigned long long> l(std::vector<unsigned long long>{0, 0});
  OnCard<float> f(std::vector<float>{0, 0});
  OnCard<double> d(std::vector<double>{0});
  everything<<<3, 70>>>(i, u, l, f, d);
  const int threads = 210, last = threads - 1, sum = threads * last / 2;
  unsigned mixed = 0;
  for (int t = 0; t < threads; ++t) mixed ^= unsigned(t);
  EXPECT((i.fetch() == std::vector<int>{sum, -sum, -last, last}));
  std::vector<unsigned> got = u.fetch();
  EXPECT(got[0] == 0x80000000u && got[1] == 0x7fffffffu && got[2] == mixed && got[3] == threads % 7u);
  EXPECT(got[4] == ((3 - threads) % 7 + 7) % 7u);
  EXPECT((l.fetch() == std::vector<unsigned long long>{(unsigned long long)threads << 33, (unsigned long long)last << 40}));
  EXPECT((f.fetch() == std::vector<float>{threads * 0.25f, float(last)}));
  EXPECT(d.fetch()[0] == threads * 0.5);
}
