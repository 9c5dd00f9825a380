// Counts through atomics in shared memory, then in global memory; indices that follow no rule.
#include "check.h"

constexpr int kBins = 48;

__global__ void histogram(int* counts, const int* from, int n) {
  __shared__ int mine[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&mine[from[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&counts[i], mine[i]);
}

int main() {
  const int n = 6007;
  const std::vector<int> in = integers(n, kBins);
  int *from = to_card(in), *counts = to_card(std::vector<int>(kBins, 0));
  histogram<<<5, 64>>>(counts, from, n);
  const std::vector<int> got = from_card(counts, kBins);
  CHECK(cudaFree(from));
  std::vector<int> wanted(kBins, 0);
  for (int value : in) ++wanted[value];
  for (int i = 0; i < kBins; ++i) expect(got[i], wanted[i], 0, "count", i);
}
