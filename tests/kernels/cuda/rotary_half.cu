// Rotary positions on half2 pairs and RMS normalisation in bfloat16 with float sums.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void rotate(half2* x, int pairs, float base) {
  const int position = blockIdx.x, i = threadIdx.x;
  if (i >= pairs) return;
  float s, c;
  sincosf(position * powf(base, -float(i) / pairs), &s, &c);
  const float2 v = __half22float2(x[position * pairs + i]);
  x[position * pairs + i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}
__global__ void rms_norm(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int width) {
  __shared__ float sums[2];
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float v = __bfloat162float(x[blockIdx.x * width + i]);
    sum += v * v;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  const float scale = rsqrtf((sums[0] + sums[1]) / width + 1e-6f);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const __nv_bfloat16 scaled = __float2bfloat16(__bfloat162float(x[blockIdx.x * width + i]) * scale);
    out[blockIdx.x * width + i] = __hmul(scaled, weight[i]);
  }
}

int main() {
  const int positions = 7, pairs = 20;
  Inputs inputs;
  std::vector<half2> x(positions * pairs);
  for (half2& v : x) v = __floats2half2_rn(inputs.unit(), inputs.unit());
  OnCard<half2> card(x);
  rotate<<<positions, 32>>>(card, pairs, 10000.0f);
  const std::vector<half2> got = card.fetch();
  for (int p = 0; p < positions; ++p)
    for (int i = 0; i < pairs; ++i) {
      const double angle = p * std::pow(10000.0, -double(i) / pairs);
      const float2 before = __half22float2(x[p * pairs + i]), after = __half22float2(got[p * pairs + i]);
      EXPECT(std::fabs(after.x - (before.x * std::cos(angle) - before.y * std::sin(angle))) < 1e-3);
      EXPECT(std::fabs(after.y - (before.x * std::sin(angle) + before.y * std::cos(angle))) < 1e-3);
    }
  const int rows = 3, width = 90;
  std::vector<__nv_bfloat16> y(rows * width), weight(width);
  for (auto& v : y) v = __float2bfloat16(inputs.unit());
  for (auto& v : weight) v = __float2bfloat16(inputs.unit());
  OnCard<__nv_bfloat16> cy(y), cw(weight), out(y.size());
  rms_norm<<<rows, 64>>>(cy, cw, out, width);
  const std::vector<__nv_bfloat16> normal = out.fetch();
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += std::pow(double(__bfloat162float(y[r * width + i])), 2);
    for (int i = 0; i < width; ++i) {
      const double wanted = __bfloat162float(y[r * width + i]) / std::sqrt(sum / width + 1e-6) * __bfloat162float(weight[i]);
      EXPECT(std::fabs(__bfloat162float(normal[r * width + i]) - wanted) <= 0.012 * std::fabs(wanted) + 1e-6);
    }
  }
  return 0;
}
