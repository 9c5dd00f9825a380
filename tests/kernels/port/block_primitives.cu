// CUB's block primitives (they hold references to shared memory), and views: structures that hold pointers, copied and passed on.
#include <cub/cub.cuh>

#include "check.h"

struct View {
  float* data;
  int count;
  __device__ float& at(int i) const { return data[i]; }
  __device__ View tail(int from) const { return {data + from, count - from}; }
};
__device__ void add_to_all(View view, float what, int self) {
  for (int i = self; i < view.count; i += blockDim.x) view.at(i) += what;
}

template <int kThreads>
__global__ void sums(const float* a, float* total, int* rank, int n) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Reduce::TempStorage for_reduce;
  __shared__ typename Scan::TempStorage for_scan;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float value = i < n ? a[i] : 0.0f;
  const float all = Reduce(for_reduce).Sum(value);
  if (threadIdx.x == 0) total[blockIdx.x] = all;
  int before = 0, whole = 0;
  Scan(for_scan).ExclusiveSum(value > 0.0f ? 1 : 0, before, whole);
  if (i < n) rank[i] = before * 1000 + whole;
}

__global__ void views(float* a, int n) {
  View all = {a + blockIdx.x * n, n};
  View copy = all;
  add_to_all(copy, 1.0f, threadIdx.x);
  __syncthreads();
  add_to_all(all.tail(n / 3), 10.0f, threadIdx.x);
}

int main() {
  constexpr int kThreads = 64;
  for (int n : {1, 64, 333}) {
    const int blocks = (n + kThreads - 1) / kThreads;
    const std::vector<float> a = floats(n);
    float *device_a = to_card(a), *total = to_card(std::vector<float>(blocks)), *seen = to_card(std::vector<float>(2 * n, 0.5f));
    int* rank = to_card(std::vector<int>(n));
    sums<kThreads><<<blocks, kThreads>>>(device_a, total, rank, n);
    views<<<2, 32>>>(seen, n);
    const std::vector<float> totals = from_card(total, blocks), got = from_card(seen, 2 * n);
    const std::vector<int> ranks = from_card(rank, n);
    CHECK(cudaFree(device_a));
    for (int block = 0; block < blocks; ++block) {
      double sum = 0;
      int whole = 0, before = 0;
      const int first = block * kThreads, last = std::min(n, first + kThreads);
      for (int i = first; i < last; ++i) sum += a[i], whole += a[i] > 0;
      expect(totals[block], sum, 1e-4, "sum", block);
      for (int i = first; i < last; ++i) {
        expect(ranks[i], before * 1000 + whole, 0, "rank", i);
        before += a[i] > 0;
      }
    }
    for (int i = 0; i < 2 * n; ++i) expect(got[i], 1.5f + (i % n >= n / 3 ? 10.0f : 0.0f), 0, "view", i);
  }
  std::puts("right");
  return 0;
}
