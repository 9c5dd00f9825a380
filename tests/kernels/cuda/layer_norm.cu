// Layer normalisation forward and backward: dynamic shared memory, warp and block sums, a template over the block's size.
#include "check.h"

template <int kThreads> __device__ float block_sum(float value, float* room) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) sum += room[w];
  __syncthreads();
  return sum;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) forward(const float* x, const float* weight, const float* bias, float* out, float* mean_out, float* scale_out, int width) {
  extern __shared__ float room[];
  float* row = room + kThreads / 32;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += row[i] = x[blockIdx.x * width + i];
  const float mean = block_sum<kThreads>(sum, room) / width;
  sum = 0;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(block_sum<kThreads>(sum, room) / width + 1e-5f);
  for (int i = threadIdx.x; i < width; i += kThreads) out[blockIdx.x * width + i] = (row[i] - mean) * scale * weight[i] + bias[i];
  if (threadIdx.x == 0) mean_out[blockIdx.x] = mean, scale_out[blockIdx.x] = scale;
}

template <int kThreads>
__global__ void backward(const float* dout, const float* x, const float* weight, const float* mean, const float* scale, float* dx, float* dweight, int width) {
  extern __shared__ float room[];
  const int row = blockIdx.x * width;
  float sum = 0, dot = 0;
  for (int i = threadIdx.x; i < width; i += kThreads) {
    const float norm = (x[row + i] - mean[blockIdx.x]) * scale[blockIdx.x], d = dout[row + i] * weight[i];
    sum += d, dot += d * norm;
    atomicAdd(&dweight[i], dout[row + i] * norm);
  }
  sum = block_sum<kThreads>(sum, room) / width;
  dot = block_sum<kThreads>(dot, room) / width;
  for (int i = threadIdx.x; i < width; i += kThreads) {
    const float norm = (x[row + i] - mean[blockIdx.x]) * scale[blockIdx.x];
    dx[row + i] = (dout[row + i] * weight[i] - sum - norm * dot) * scale[blockIdx.x];
  }
}

int main() {
  const int rows = 6, width = 203;
  Inputs inputs;
  const std::vector<float> x = inputs.floats(rows * width), dout = inputs.floats(rows * width), weight = inputs.floats(width), bias = inputs.floats(width);
  std::vector<float> out(rows * width), dx(rows * width), dweight(width, 0.0f);
  std::vector<double> sums(width, 0.0);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, var = 0, sum = 0, dot = 0;
    for (int i = 0; i < width; ++i) mean += x[r * width + i] / double(width);
    for (int i = 0; i < width; ++i) var += (x[r * width + i] - mean) * (x[r * width + i] - mean) / width;
    const double scale = 1 / std::sqrt(var + 1e-5);
    for (int i = 0; i < width; ++i) {
      const double norm = (x[r * width + i] - mean) * scale, d = dout[r * width + i] * weight[i];
      out[r * width + i] = float(norm * weight[i] + bias[i]);
      sum += d / width, dot += d * norm / width, sums[i] += dout[r * width + i] * norm;
    }
    for (int i = 0; i < width; ++i)
      dx[r * width + i] = float((dout[r * width + i] * weight[i] - sum - (x[r * width + i] - mean) * scale * dot) * scale);
  }
  for (int i = 0; i < width; ++i) dweight[i] = float(sums[i]);
  OnCard<float> cx(x), cd(dout), cw(weight), cb(bias), cout(rows * width), cmean(rows), cscale(rows), cdx(rows * width), cdw(width);
  cdw.zero();
  forward<128><<<rows, 128, (4 + width) * sizeof(float)>>>(cx, cw, cb, cout, cmean, cscale, width);
  backward<64><<<rows, 64, 2 * sizeof(float)>>>(cd, cx, cw, cmean, cscale, cdx, cdw, width);
  CHECK(cudaDeviceSynchronize());
  same(cout.fetch(), out, 1e-5);
  same(cdx.fetch(), dx, 1e-5);
  same(cdw.fetch(), dweight, 1e-5);
  return 0;
}
