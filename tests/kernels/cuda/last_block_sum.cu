// A sum in one kernel: the last block to finish, known by a counter after a fence, adds the blocks' parts.
#include "check.h"

__device__ unsigned g_done = 0;

__global__ void sum(const float* in, int count, float* parts, float* out) {
  __shared__ float own[128];
  __shared__ bool is_last;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) mine += in[i];
  own[threadIdx.x] = mine;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) own[threadIdx.x] += own[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = own[0];
    __threadfence();
    is_last = atomicInc(&g_done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += parts[b];
    *out = all;
    g_done = 0;
  }
}

int main() {
  const int count = 10000, blocks = 13;
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = float(i % 8);
  OnCard<float> in(values), parts(blocks), out(1);
  for (int round = 0; round < 2; ++round) {
    sum<<<blocks, 128>>>(in, count, parts, out);
    EXPECT(out.fetch()[0] == 35000.0f);
  }
}
