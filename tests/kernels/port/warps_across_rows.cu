// Blocks of 16 by 16, whose warps are two rows each: sums of rows by shuffles, the first row sums what is left; a kernel that knows
// nothing of rows launched with several; a counter used twice.
#include "check.h"

__global__ void squares(const float* in, float* total, int width) {
  __shared__ float rows[16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float mine = in[y * width + x];
  mine *= mine;
  for (int offset = 8; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (threadIdx.x == 0) rows[threadIdx.y] = mine;
  __syncthreads();
  if (threadIdx.y == 0) {
    mine = rows[threadIdx.x];
    for (int offset = 8; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffu, mine, offset);
    if (threadIdx.x == 0) atomicAdd(total, mine);
  }
}

__global__ void plain(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 3.0f + 1.0f;
}

__global__ void planes(const float* in, float* out, int depth) {
  __shared__ float edge[64];
  int k = threadIdx.x * threadIdx.x % 64;
  edge[threadIdx.x] = in[threadIdx.x] + (k < 0 ? 1.0f : 0.0f);
  __syncthreads();
  for (k = 0; k < depth; ++k) {
    const float next = edge[(threadIdx.x + 1) % 64];
    __syncthreads();
    edge[threadIdx.x] = next + k;
    __syncthreads();
  }
  out[threadIdx.x] = edge[threadIdx.x];
}

int main() {
  const int width = 48, n = 1000;
  const std::vector<float> in = floats(width * width);
  float* from = to_card(in);
  float* total = to_card(std::vector<float>(1, 0.0f));
  float* to = to_card(std::vector<float>(n, 0.0f));
  float* ring = to_card(std::vector<float>(64, 0.0f));
  squares<<<dim3(3, 3), dim3(16, 16)>>>(from, total, width);
  plain<<<32, dim3(32, 4)>>>(from, to, n);
  planes<<<1, 64>>>(from, ring, 5);
  double sum = 0;
  for (float value : in) sum += value * value;
  expect(from_card(total, 1)[0], sum, 1e-5, "squares", 0);
  const std::vector<float> out = from_card(to, n), around = from_card(ring, 64);
  for (int i = 0; i < n; ++i) expect(out[i], in[i] * 3.0f + 1.0f, 1e-6, "plain", i);
  for (int i = 0; i < 64; ++i) expect(around[i], in[(i + 5) % 64] + 10, 1e-5, "ring", i);
  CHECK(cudaFree(from));
}
