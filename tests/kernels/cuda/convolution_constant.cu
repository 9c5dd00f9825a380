// One- and two-dimensional convolutions with the mask in constant memory; tiles with halos; a template over the mask's width.
#include "check.h"

constexpr int kBlock = 64;
__constant__ float mask[9];
__constant__ float mask2[5][5];

template <int kWidth> __global__ void along(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + kWidth - 1];
  const int i = blockIdx.x * kBlock + threadIdx.x, half = kWidth / 2;
  for (int t = threadIdx.x; t < kBlock + kWidth - 1; t += kBlock) {
    const int from = int(blockIdx.x) * kBlock + t - half;
    tile[t] = from >= 0 && from < n ? in[from] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) sum += tile[threadIdx.x + k] * mask[k];
  out[i] = sum;
}

__global__ void plane(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int cx = min(max(x + dx, 0), width - 1), cy = min(max(y + dy, 0), height - 1);
      sum = fmaf(in[cy * width + cx], mask2[dy + 2][dx + 2], sum);
    }
  out[y * width + x] = sum;
}

template <int kWidth> void check_along(const std::vector<float>& in, const float* weights) {
  const int n = int(in.size());
  std::vector<float> wanted(n, 0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kWidth; ++k)
      if (i + k - kWidth / 2 >= 0 && i + k - kWidth / 2 < n) wanted[i] += in[i + k - kWidth / 2] * weights[k];
  OnCard<float> from(in), to(n);
  along<kWidth><<<(n + kBlock - 1) / kBlock, kBlock>>>(from, to, n);
  same(to.fetch(), wanted, 1e-5);
}

int main() {
  Inputs inputs;
  const std::vector<float> weights = inputs.floats(9), weights2 = inputs.floats(25), in = inputs.floats(500);
  CHECK(cudaMemcpyToSymbol(mask, weights.data(), 9 * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(mask2, weights2.data(), 25 * sizeof(float)));
  check_along<3>(in, weights.data());
  check_along<5>(in, weights.data());
  check_along<9>(in, weights.data());
  const int width = 25, height = 20;
  std::vector<float> wanted(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
          sum += double(in[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)]) * weights2[(dy + 2) * 5 + dx + 2];
      wanted[y * width + x] = float(sum);
    }
  OnCard<float> from(in), to(width * height);
  plane<<<dim3(2, 3), dim3(16, 8)>>>(from, to, width, height);
  same(to.fetch(), wanted, 1e-5);
  return 0;
}
