// Sums of blocks: a tree in shared memory, one atomic per block; a template over the block's size.
#include "check.h"

template <int kBlock>
__global__ void total(const float* from, float* sum, int n) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * kBlock + t; i < n; i += kBlock * gridDim.x) mine += from[i];
  part[t] = mine;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}

int main() {
  const int n = 20011;
  const std::vector<float> in = floats(n);
  float* from = to_card(in);
  float* first = to_card(std::vector<float>(1, 0.0f));
  float* second = to_card(std::vector<float>(1, 0.0f));
  total<256><<<7, 256>>>(from, first, n);
  total<64><<<dim3(3), dim3(64)>>>(from, second, n);
  double wanted = 0, size = 0;
  for (float value : in) wanted += value, size += std::fabs(value);
  expect(from_card(first, 1)[0] / size, wanted / size, 1e-6, "sum", 256);
  expect(from_card(second, 1)[0] / size, wanted / size, 1e-6, "sum", 64);
  CHECK(cudaFree(from));
}
