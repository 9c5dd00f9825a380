// Arrive-and-wait barriers: work between arrival and wait, producers and consumers with two buffers, a thread that drops out, the C form.
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Each thread publishes a value, computes something of its own, then reads its neighbour's.
__global__ void neighbours(const int* in, int* out, int rounds) {
  __shared__ int values[2][128];
  __shared__ block_barrier bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  int own = in[blockIdx.x * blockDim.x + t];
  for (int round = 0; round < rounds; ++round) {
    values[round & 1][t] = own;
    block_barrier::arrival_token token = bar.arrive();
    const int meanwhile = round * 3;
    bar.wait(std::move(token));
    own += values[round & 1][(t + 1) % 128] + meanwhile;
  }
  out[blockIdx.x * blockDim.x + t] = own;
}

// The first warp fills buffers, the others use them up.
__global__ void producer_consumer(const int* in, long long* sum, int batches) {
  constexpr int kBatch = 64;
  __shared__ int buffer[2][kBatch];
  __shared__ block_barrier ready[2], filled[2];
  auto block = cg::this_thread_block();
  if (block.thread_rank() < 2) {
    init(&ready[block.thread_rank()], block.size());
    init(&filled[block.thread_rank()], block.size());
  }
  block.sync();
  if (block.thread_rank() < 32) {
    for (int i = 0; i < batches; ++i) {
      ready[i % 2].arrive_and_wait();
      for (int k = block.thread_rank(); k < kBatch; k += 32) buffer[i % 2][k] = in[i * kBatch + k];
      filled[i % 2].arrive();
    }
  } else {
    ready[0].arrive();
    ready[1].arrive();
    long long own = 0;
    for (int i = 0; i < batches; ++i) {
      filled[i % 2].arrive_and_wait();
      for (int k = block.thread_rank() - 32; k < kBatch; k += block.size() - 32) own += buffer[i % 2][k];
      ready[i % 2].arrive();
    }
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(own));
  }
}

// Threads leave one warp after the other; those that stay go on without them.
__global__ void drop_out(int* rounds_of) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  const int stays = 1 + threadIdx.x / 32;
  for (int round = 0; round < stays; ++round) bar.arrive_and_wait();
  rounds_of[threadIdx.x] = stays;
  bar.arrive_and_drop();
}

__global__ void c_form(const int* in, int* out) {
  __shared__ __mbarrier_t bar;
  __shared__ int reversed[64];
  if (threadIdx.x == 0) __mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  reversed[63 - threadIdx.x] = in[threadIdx.x];
  __mbarrier_token_t token = __mbarrier_arrive(&bar);
  while (!__mbarrier_test_wait(&bar, token)) {}
  out[threadIdx.x] = reversed[threadIdx.x];
}

// Asynchronous copies into shared memory that a barrier waits for.
__global__ void staged(const float* in, float* out) {
  alignas(16) __shared__ float tile[256];
  __shared__ block_barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof tile), bar);
  bar.arrive_and_wait();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
  Inputs inputs;
  const std::vector<int> in = inputs.ints(4 * 128, 1000);
  OnCard<int> from(in), to(in.size());
  neighbours<<<4, 128>>>(from, to, 5);
  std::vector<int> wanted = in;
  for (int block = 0; block < 4; ++block) {
    for (int round = 0; round < 5; ++round) {
      std::vector<int> before(wanted.begin() + block * 128, wanted.begin() + (block + 1) * 128);
      for (int t = 0; t < 128; ++t) wanted[block * 128 + t] += before[(t + 1) % 128] + round * 3;
    }
  }
  EXPECT(to.fetch() == wanted);

  OnCard<long long> sum(1);
  sum.zero();
  producer_consumer<<<1, 128>>>(from, sum, 8);
  long long total = 0;
  for (int value : in) total += value;
  EXPECT(sum.fetch()[0] == total);

  OnCard<int> rounds(96);
  drop_out<<<1, 96>>>(rounds);
  const std::vector<int> stayed = rounds.fetch();
  for (int t = 0; t < 96; ++t) EXPECT(stayed[t] == 1 + t / 32);

  OnCard<int> reversed(64);
  c_form<<<1, 64>>>(from, reversed);
  const std::vector<int> back = reversed.fetch();
  for (int t = 0; t < 64; ++t) EXPECT(back[t] == in[63 - t]);

  const std::vector<float> values = inputs.floats(512);
  OnCard<float> source(values), target(512);
  staged<<<2, 256>>>(source, target);
  const std::vector<float> got = target.fetch();
  for (int i = 0; i < 512; ++i) EXPECT(got[i] == values[i / 256 * 256 + 255 - i % 256]);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
