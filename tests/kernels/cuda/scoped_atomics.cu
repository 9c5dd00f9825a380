// cuda::atomic and cuda::atomic_ref: counters, minima, a lock, a flag that one block raises and the next waits for.
#include <cuda/atomic>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> turn;

__global__ void counters(int* words, float* least) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> count(words[0]), most(words[1]), bits(words[2]);
  count.fetch_add(2, cuda::memory_order_relaxed);
  most.fetch_max(t * 7 % 1000, cuda::memory_order_relaxed);
  bits.fetch_or(1 << (t % 20), cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device>(least[0]).fetch_min(float(t) - 10, cuda::memory_order_relaxed);
}

// Blocks take their turns: each adds to what the block before left.
__global__ void chain(int* total) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, int(threadIdx.x) + int(blockIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) {
    while (turn.load(cuda::memory_order_acquire) != int(blockIdx.x)) {}
    *total = *total * 2 + sum;
    turn.store(int(blockIdx.x) + 1, cuda::memory_order_release);
  }
}

__global__ void lock(int* words) {
  cuda::atomic_ref<int, cuda::thread_scope_device> guard(words[0]);
  int expected = 0;
  while (!guard.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) expected = 0;
  words[1] = words[1] * 3 % 1009 + 1;
  guard.store(0, cuda::memory_order_release);
}

int main() {
  OnCard<int> words(3);
  OnCard<float> least(1);
  words.zero(), least.zero();
  counters<<<4, 64>>>(words, least);
  const std::vector<int> got = words.fetch();
  EXPECT(got[0] == 512 && got[1] == 994 && got[2] == (1 << 20) - 1);
  EXPECT(least.fetch()[0] == -10);

  OnCard<int> total(1);
  total.zero();
  chain<<<8, 32>>>(total);
  int wanted = 0;
  for (int b = 0; b < 8; ++b) wanted = wanted * 2 + 31 * 16 + 32 * b;
  EXPECT(total.fetch()[0] == wanted);

  words.zero();
  lock<<<6, 1>>>(words);
  int value = 0;
  for (int i = 0; i < 6; ++i) value = value * 3 % 1009 + 1;
  EXPECT(words.fetch()[1] == value);
  return 0;
}
