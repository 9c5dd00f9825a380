// Matrix product by tiles of shared memory, sizes that leave tails.
#include <algorithm>

#include "check.h"

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < (k + kTile - 1) / kTile; ++tile) {
    const int p = tile * kTile + threadIdx.x, q = tile * kTile + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && p < k ? a[row * k + p] : 0.0f;
    right[threadIdx.y][threadIdx.x] = q < k && column < n ? b[q * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 37, n = 50, k = 29;
  Inputs inputs;
  std::vector<float> a = inputs.floats(m * k), b = inputs.floats(k * n), wanted(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += double(a[i * k + p]) * b[p * n + j];
      wanted[i * n + j] = float(sum);
    }
  OnCard<float> da(a), db(b), dc(m * n);
  matmul<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile)>>>(da, db, dc, m, n, k);
  CHECK(cudaGetLastError());
  same(dc.fetch(), wanted, 1e-5);
}
