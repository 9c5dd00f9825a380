// Matrix product with 4 x 4 results per thread in registers, vector loads into shared memory, alpha and beta.
#include "check.h"

constexpr int kTileM = 32, kTileN = 32, kTileK = 8;

__global__ void __launch_bounds__(64) gemm(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
  __shared__ float as[kTileK][kTileM], bs[kTileK][kTileN];
  const int tx = threadIdx.x % 8, ty = threadIdx.x / 8, row = blockIdx.y * kTileM, column = blockIdx.x * kTileN;
  float sums[4][4] = {};
  for (int start = 0; start < k; start += kTileK) {
    const int ar = threadIdx.x / 2, ac = threadIdx.x % 2 * 4, br = threadIdx.x / 8, bc = threadIdx.x % 8 * 4;
    const float4 va = *reinterpret_cast<const float4*>(&a[(row + ar) * k + start + ac]);
    as[ac][ar] = va.x, as[ac + 1][ar] = va.y, as[ac + 2][ar] = va.z, as[ac + 3][ar] = va.w;
    *reinterpret_cast<float4*>(&bs[br][bc]) = *reinterpret_cast<const float4*>(&b[(start + br) * n + column + bc]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      float x[4], y[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j] = as[i][ty * 4 + j], y[j] = bs[i][tx * 4 + j];
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int l = 0; l < 4; ++l) sums[j][l] += x[j] * y[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    float4* to = reinterpret_cast<float4*>(&c[(row + ty * 4 + j) * n + column + tx * 4]);
    float4 v = *to;
    v.x = alpha * sums[j][0] + beta * v.x, v.y = alpha * sums[j][1] + beta * v.y;
    v.z = alpha * sums[j][2] + beta * v.z, v.w = alpha * sums[j][3] + beta * v.w;
    *to = v;
  }
}

int main() {
  const int m = 64, n = 96, k = 40;
  Inputs inputs;
  const std::vector<float> a = inputs.floats(m * k), b = inputs.floats(k * n);
  std::vector<float> c = inputs.floats(m * n);
  OnCard<float> ca(a), cb(b), cc(c);
  gemm<<<dim3(n / kTileN, m / kTileM), 64>>>(ca, cb, cc, m, n, k, 1.5f, -0.5f);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += double(a[i * k + l]) * b[l * n + j];
      c[i * n + j] = float(1.5 * sum - 0.5 * c[i * n + j]);
    }
  same(cc.fetch(), c, 1e-5);
  return 0;
}
