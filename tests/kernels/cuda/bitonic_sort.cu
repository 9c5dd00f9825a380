// Bitonic sort: in shared memory within a block, in global memory beyond it; keys with their places.
#include "check.h"

constexpr int kBlock = 128;

template <class T> __device__ void order(T& a, T& b, bool up) {
  if ((a > b) == up) { T c = a; a = b; b = c; }
}
__global__ void within(unsigned long long* keys, int from_size, int to_size) {
  __shared__ unsigned long long own[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  own[threadIdx.x] = keys[i];
  __syncthreads();
  for (int size = from_size; size <= to_size; size *= 2) {
    for (int step = min(size, kBlock) / 2; step > 0; step /= 2) {
      const int other = threadIdx.x ^ step;
      if (other > threadIdx.x) order(own[threadIdx.x], own[other], (i & size) == 0);
      __syncthreads();
    }
  }
  keys[i] = own[threadIdx.x];
}
__global__ void across(unsigned long long* keys, int size, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ step;
  if (other > i) order(keys[i], keys[other], (i & size) == 0);
}

int main() {
  const int n = 1024;
  std::vector<unsigned long long> keys(n);
  Inputs inputs;
  for (int i = 0; i < n; ++i) keys[i] = (unsigned long long)(inputs.next() % 300) << 32 | i;
  OnCard<unsigned long long> card(keys);
  within<<<n / kBlock, kBlock>>>(card, 2, kBlock);
  for (int size = 2 * kBlock; size <= n; size *= 2) {
    for (int step = size / 2; step >= kBlock; step /= 2) across<<<n / 64, 64>>>(card, size, step);
    within<<<n / kBlock, kBlock>>>(card, size, size);
  }
  std::sort(keys.begin(), keys.end());
  EXPECT(card.fetch() == keys);
  return 0;
}
