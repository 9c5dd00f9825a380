// Causal attention for one head per block, keys and values in tiles of shared memory, running maximum and sum.
#include "check.h"

constexpr int kDim = 16, kTile = 8;

__global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
  __shared__ float keys[kTile][kDim], values[kTile][kDim];
  const int row = threadIdx.x, head = blockIdx.x * length * kDim;
  float own[kDim], sum[kDim] = {}, most = -INFINITY, total = 0;
#pragma unroll
  for (int d = 0; d < kDim; ++d) own[d] = row < length ? q[head + row * kDim + d] * rsqrtf(float(kDim)) : 0;
  for (int start = 0; start < length; start += kTile) {
    for (int i = threadIdx.x; i < kTile * kDim; i += blockDim.x) {
      const bool inside = start + i / kDim < length;
      keys[i / kDim][i % kDim] = inside ? k[head + start * kDim + i] : 0;
      values[i / kDim][i % kDim] = inside ? v[head + start * kDim + i] : 0;
    }
    __syncthreads();
    for (int j = 0; j < kTile && start + j <= row && row < length; ++j) {
      float dot = 0;
#pragma unroll
      for (int d = 0; d < kDim; ++d) dot += own[d] * keys[j][d];
      const float next = fmaxf(most, dot), shrink = expf(most - next), weight = expf(dot - next);
      total = total * shrink + weight;
#pragma unroll
      for (int d = 0; d < kDim; ++d) sum[d] = sum[d] * shrink + weight * values[j][d];
      most = next;
    }
    __syncthreads();
  }
  if (row < length)
    for (int d = 0; d < kDim; ++d) out[head + row * kDim + d] = sum[d] / total;
}

int main() {
  const int heads = 3, length = 29;
  Inputs inputs;
  const std::vector<float> q = inputs.floats(heads * length * kDim), k = inputs.floats(heads * length * kDim), v = inputs.floats(heads * length * kDim);
  std::vector<float> wanted(q.size());
  for (int h = 0; h < heads; ++h) {
    for (int row = 0; row < length; ++row) {
      double total = 0, sum[kDim] = {};
      for (int j = 0; j <= row; ++j) {
        double dot = 0;
        for (int d = 0; d < kDim; ++d) dot += double(q[(h * length + row) * kDim + d]) * k[(h * length + j) * kDim + d];
        const double weight = std::exp(dot / std::sqrt(double(kDim)));
        total += weight;
        for (int d = 0; d < kDim; ++d) sum[d] += weight * v[(h * length + j) * kDim + d];
      }
      for (int d = 0; d < kDim; ++d) wanted[(h * length + row) * kDim + d] = float(sum[d] / total);
    }
  }
  OnCard<float> cq(q), ck(k), cv(v), out(q.size());
  attention<<<heads, 32>>>(cq, ck, cv, out, length);
  CHECK(cudaDeviceSynchronize());
  same(out.fetch(), wanted, 1e-5);
  return 0;
}
