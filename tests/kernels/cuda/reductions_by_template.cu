// One reduction in five forms chosen by a template: interleaved, sequential, unrolled last warp, shuffles, cooperative groups; any operator.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;
struct Add { template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; } };
struct Most { template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

template <int kForm, int kThreads, class T, class F> __global__ void reduce(const T* in, T* out, int n, T none, F f) {
  __shared__ T room[kThreads];
  const int t = threadIdx.x;
  T own = none;
  for (int i = blockIdx.x * kThreads + t; i < n; i += gridDim.x * kThreads) own = f(own, in[i]);
  room[t] = own;
  __syncthreads();
  if constexpr (kForm == 0) {
    for (int step = 1; step < kThreads; step *= 2) {
      if (t % (2 * step) == 0) room[t] = f(room[t], room[t + step]);
      __syncthreads();
    }
  } else if constexpr (kForm == 1) {
    for (int step = kThreads / 2; step > 0; step /= 2) {
      if (t < step) room[t] = f(room[t], room[t + step]);
      __syncthreads();
    }
  } else if constexpr (kForm == 2) {
    if (kThreads >= 128) { if (t < 64) room[t] = f(room[t], room[t + 64]); __syncthreads(); }
    if (t < 32) {
      T v = f(room[t], room[t + 32]);
      __syncwarp();
#pragma unroll
      for (int step = 16; step > 0; step /= 2) {
        room[t] = v;
        __syncwarp();
        if (t < step) v = f(v, room[t + step]);
        __syncwarp();
      }
      if (t == 0) room[0] = v;
    }
  } else if constexpr (kForm == 3) {
    for (int step = 16; step > 0; step /= 2) own = f(own, __shfl_down_sync(0xffffffff, own, step));
    __syncthreads();
    if (t % 32 == 0) room[t / 32] = own;
    __syncthreads();
    if (t == 0)
      for (int w = 1; w < kThreads / 32; ++w) room[0] = f(room[0], room[w]);
  } else {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    own = cg::reduce(tile, own, f);
    block.sync();
    if (tile.thread_rank() == 0) room[tile.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0)
      for (int w = 1; w < int(tile.meta_group_size()); ++w) room[0] = f(room[0], room[w]);
  }
  if (t == 0) out[blockIdx.x] = room[0];
}

template <int kForm, class T, class F> void check(T none, F f) {
  const int n = 1000, blocks = 3;
  Inputs inputs;
  std::vector<T> in(n);
  for (T& v : in) v = T(inputs.next() % 500) - T(100);
  OnCard<T> from(in), to(blocks);
  reduce<kForm, 128><<<blocks, 128>>>(from.data, to.data, n, none, f);
  T wanted = none, got = none;
  for (T v : in) wanted = f(wanted, v);
  for (T v : to.fetch()) got = f(got, v);
  EXPECT(got == wanted);
}
template <int kForm> void all() {
  check<kForm, int>(0, Add());
  check<kForm, float>(-1e30f, Most());
  check<kForm, double>(0.0, Add());
}

int main() {
  all<0>(), all<1>(), all<2>(), all<3>(), all<4>();
  return 0;
}
