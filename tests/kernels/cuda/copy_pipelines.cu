// Pipelines of asynchronous copies: of a block in two and three stages, of separate producers, of one thread, and the C form.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kTile = 128;

template <int Stages> __global__ void sums(const int* in, int* out, int tiles) {
  __shared__ int buffer[Stages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int own = 0, fetched = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + Stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % Stages], in + (blockIdx.x * tiles + fetched) * kTile, sizeof(int) * kTile, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    own += buffer[tile % Stages][kTile - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[blockIdx.x * kTile + threadIdx.x] = own;
}

// Half of the block fetches, the other half adds.
__global__ void split_roles(const int* in, int* out, int tiles) {
  __shared__ int buffer[2][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool produces = block.thread_rank() < kTile;
  auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (produces) {
    for (int tile = 0; tile < tiles; ++tile) {
      pipe.producer_acquire();
      const int i = block.thread_rank();
      cuda::memcpy_async(&buffer[tile % 2][i], &in[tile * kTile + i], sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    const int i = block.thread_rank() - kTile;
    int own = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      pipe.consumer_wait();
      own += buffer[tile % 2][(i + tile) % kTile];
      pipe.consumer_release();
    }
    out[i] = own;
  }
}

__global__ void alone(const int4* in, int4* out, int tiles) {
  __shared__ int4 mine[2][32];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&mine[0][t], &in[t], sizeof(int4), pipe);
  pipe.producer_commit();
  int4 own = {0, 0, 0, 0};
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&mine[(tile + 1) % 2][t], &in[(tile + 1) * 32 + t], sizeof(int4), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    const int4 v = mine[tile % 2][t];
    own.x += v.x, own.y += v.y, own.z += v.z, own.w += v.w;
    pipe.consumer_release();
  }
  out[t] = own;
}

__global__ void c_form(const float* in, float* out) {
  __shared__ float tile[kTile];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4, threadIdx.x % 2 == 0 ? 0 : 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[kTile - 1 - threadIdx.x];
}

int main() {
  Inputs inputs;
  const int tiles = 6, blocks = 2;
  const std::vector<int> in = inputs.ints(blocks * tiles * kTile, 5000);
  OnCard<int> from(in), to(blocks * kTile);
  for (int stages : {2, 3}) {
    to.zero();
    if (stages == 2) sums<2><<<blocks, kTile>>>(from, to, tiles);
    else sums<3><<<blocks, kTile>>>(from, to, tiles);
    const std::vector<int> got = to.fetch();
    for (int b = 0; b < blocks; ++b) {
      for (int t = 0; t < kTile; ++t) {
        int wanted = 0;
        for (int tile = 0; tile < tiles; ++tile) wanted += in[(b * tiles + tile) * kTile + kTile - 1 - t];
        EXPECT(got[b * kTile + t] == wanted);
      }
    }
  }
  split_roles<<<1, 2 * kTile>>>(from, to, tiles);
  std::vector<int> got = to.fetch();
  for (int i = 0; i < kTile; ++i) {
    int wanted = 0;
    for (int tile = 0; tile < tiles; ++tile) wanted += in[tile * kTile + (i + tile) % kTile];
    EXPECT(got[i] == wanted);
  }
  OnCard<int> fours(32 * 4);
  alone<<<1, 32>>>(reinterpret_cast<const int4*>(from.data), reinterpret_cast<int4*>(fours.data), 3);
  got = fours.fetch();
  for (int i = 0; i < 128; ++i) EXPECT(got[i] == in[i] + in[128 + i] + in[256 + i]);

  const std::vector<float> values = inputs.floats(kTile);
  OnCard<float> source(values), target(kTile);
  c_form<<<1, kTile>>>(source, target);
  const std::vector<float> back = target.fetch();
  for (int i = 0; i < kTile; ++i) EXPECT(back[i] == ((kTile - 1 - i) % 2 == 0 ? values[kTile - 1 - i] : 0.0f));
  CHECK(cudaDeviceSynchronize());
  return 0;
}
