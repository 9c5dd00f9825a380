// One block per row: maximum and sum through shuffles and a word per warp, then the row is normalised.
#include "check.h"

__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  return v;
}
__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return __shfl_sync(0xffffffff, v, 0);
}

__global__ void softmax(float* to, const float* from, int width) {
  const float* row = from + blockIdx.x * width;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < width; i += blockDim.x) most = fmaxf(most, row[i]);
  most = warp_max(most);
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float e = expf(row[i] - most);
    to[blockIdx.x * width + i] = e;
    sum += e;
  }
  sum = warp_sum(sum);
  for (int i = threadIdx.x; i < width; i += blockDim.x) to[blockIdx.x * width + i] /= sum;
}

int main() {
  const int rows = 19, width = 173;
  const std::vector<float> in = floats(rows * width);
  float* from = to_card(in);
  float* to = to_card(std::vector<float>(rows * width));
  softmax<<<rows, 32>>>(to, from, width);
  const std::vector<float> got = from_card(to, rows * width);
  CHECK(cudaFree(from));
  for (int r = 0; r < rows; ++r) {
    double most = -1e30, sum = 0;
    for (int i = 0; i < width; ++i) most = std::fmax(most, in[r * width + i]);
    for (int i = 0; i < width; ++i) sum += std::exp(in[r * width + i] - most);
    for (int i = 0; i < width; ++i) expect(got[r * width + i], std::exp(in[r * width + i] - most) / sum, 1e-5, "to", r * width + i);
  }
}
