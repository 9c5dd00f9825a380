// Cooperative groups: tiles, reduce and scan, coalesced and labelled groups, a grid barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quarter = cg::tiled_partition<8>(warp);
  const int t = block.thread_rank();
  out[t] = cg::reduce(warp, t, cg::plus<int>());
  out[64 + t] = cg::reduce(quarter, t, cg::greater<int>());
  out[128 + t] = cg::inclusive_scan(quarter, 1);
  out[192 + t] = cg::exclusive_scan(quarter, t, cg::plus<int>());
  out[256 + t] = warp.meta_group_rank() * 100 + quarter.meta_group_rank();
  out[320 + t] = quarter.shfl_xor(t, 1) + quarter.shfl(t, 0);
  block.sync();
  if (t % 3 == 0) {
    cg::coalesced_group some = cg::coalesced_threads();
    out[384 + t] = some.size() * 100 + some.thread_rank();
  } else {
    out[384 + t] = -1;
  }
  block.sync();
  out[448 + t] = cg::reduce(cg::labeled_partition(warp, t % 5), 1, cg::plus<int>());
}

__global__ void aggregate(int* counter, int* places, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && i % 7 < 3) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
    places[i] = active.shfl(first, 0) + active.thread_rank();
  }
}

__global__ void phases(int* data, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 1; step < count; step *= 2) {
    int add = 0;
    const int i = grid.thread_rank();
    if (i < count && i >= step) add = data[i - step];
    grid.sync();
    if (i < count) data[i] += add;
    grid.sync();
  }
}

int main() {
  OnCard<int> out(512);
  tiles<<<1, 64>>>(out);
  std::vector<int> got = out.fetch();
  for (int t = 0; t < 64; ++t) {
    const int warp = t / 32, lane = t % 32, first = t / 8 * 8;
    EXPECT(got[t] == (warp * 64 + 31) * 16);
    EXPECT(got[64 + t] == first + 7);
    EXPECT(got[128 + t] == t % 8 + 1);
    int before = 0;
    for (int i = first; i < t; ++i) before += i;
    EXPECT(got[192 + t] == before);
    EXPECT(got[256 + t] == warp * 100 + lane / 8);
    EXPECT(got[320 + t] == (t ^ 1) + first);
    int same = 0;
    for (int i = warp * 32; i < warp * 32 + 32; ++i) same += i % 5 == t % 5;
    EXPECT(got[448 + t] == same);
    if (t % 3 != 0) EXPECT(got[384 + t] == -1);
  }
  const int count = 300;
  OnCard<int> counter(1), places(count);
  counter.zero();
  CHECK(cudaMemset(places, 0xff, count * sizeof(int)));
  aggregate<<<3, 128>>>(counter, places, count);
  int wanted = 0;
  std::vector<bool> taken(count);
  std::vector<int> where = places.fetch();
  for (int i = 0; i < count; ++i) {
    if (i % 7 >= 3) continue;
    ++wanted;
    EXPECT(where[i] >= 0 && where[i] < count && !taken[where[i]]);
    taken[where[i]] = true;
  }
  EXPECT(counter.fetch()[0] == wanted);

  OnCard<int> data(std::vector<int>(200, 1));
  int n = 200;
  int* pointer = data;
  void* arguments[] = {&pointer, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)phases, dim3(4), dim3(64), arguments));
  std::vector<int> summed = data.fetch();
  for (int i = 0; i < 200; ++i) EXPECT(summed[i] == i + 1);
}
