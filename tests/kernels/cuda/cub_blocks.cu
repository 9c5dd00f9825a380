// CUB: block and warp reductions and scans, block sort, device-wide sum, scan and sort.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "check.h"

__global__ void blocks(const int* in, int* out) {
  typedef cub::BlockReduce<int, 64> Reduce;
  typedef cub::BlockScan<int, 64> Scan;
  typedef cub::WarpReduce<int> Warp;
  typedef cub::BlockRadixSort<int, 64, 2> Sort;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
    Sort::TempStorage sort;
  } storage;
  __shared__ Warp::TempStorage warps[2];
  const int t = threadIdx.x;
  const int sum = Reduce(storage.reduce).Sum(in[t]);
  __syncthreads();
  int before, whole;
  Scan(storage.scan).ExclusiveSum(in[t], before, whole);
  __syncthreads();
  const int top = Warp(warps[t / 32]).Reduce(in[t], cub::Max());
  int items[2] = {in[2 * t % 64], in[(2 * t + 1) % 64] + 1};
  Sort(storage.sort).Sort(items);
  if (t == 0) out[0] = sum, out[1] = whole;
  if (t % 32 == 0) out[2 + t / 32] = top;
  out[4 + t] = before;
  out[68 + 2 * t] = items[0], out[68 + 2 * t + 1] = items[1];
}

int main() {
  Inputs inputs;
  std::vector<int> in = inputs.ints(64, 1000);
  OnCard<int> din(in), out(196);
  blocks<<<1, 64>>>(din, out);
  std::vector<int> got = out.fetch();
  const int sum = std::accumulate(in.begin(), in.end(), 0);
  EXPECT(got[0] == sum && got[1] == sum);
  EXPECT(got[2] == *std::max_element(in.begin(), in.begin() + 32) && got[3] == *std::max_element(in.begin() + 32, in.end()));
  std::vector<int> sorted;
  for (int t = 0, before = 0; t < 64; ++t) {
    EXPECT(got[4 + t] == before);
    before += in[t];
    sorted.push_back(in[2 * t % 64]);
    sorted.push_back(in[(2 * t + 1) % 64] + 1);
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT(std::equal(sorted.begin(), sorted.end(), got.begin() + 68));

  size_t bytes = 0;
  OnCard<int> total(1), scanned(64), ordered(64);
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, (int*)din, (int*)total, 64));
  OnCard<char> storage(bytes);
  CHECK(cub::DeviceReduce::Sum(storage, bytes, (int*)din, (int*)total, 64));
  EXPECT(total.fetch()[0] == sum);
  CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, (int*)din, (int*)scanned, 64));
  std::vector<int> prefix(64);
  std::partial_sum(in.begin(), in.end(), prefix.begin());
  EXPECT(scanned.fetch() == prefix);
  EXPECT(cub::DeviceRadixSort::SortKeysDescending(storage, bytes, (const int*)din, (int*)ordered, 64) == cudaErrorInvalidValue);
  CHECK(cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, (const int*)din, (int*)ordered, 64));
  OnCard<char> sort_storage(bytes);
  CHECK(cub::DeviceRadixSort::SortKeysDescending(sort_storage, bytes, (const int*)din, (int*)ordered, 64));
  std::sort(in.begin(), in.end(), std::greater<int>());
  EXPECT(ordered.fetch() == in);
}
