// Matrix times vector: a warp per row with float4 loads, and a thread per column with partial sums added atomically.
#include "check.h"

__global__ void rows_kernel(const float4* matrix, const float4* x, float* y, int rows, int quads) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < quads; i += 32) {
    const float4 a = matrix[row * quads + i], b = x[i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
#pragma unroll
  for (int step = 16; step; step >>= 1) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}
__global__ void columns_kernel(const float* matrix, const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 16;
  if (column >= columns) return;
  float sum = 0;
  for (int row = first; row < min(first + 16, rows); ++row) sum += matrix[row * columns + column] * x[row];
  atomicAdd(&y[column], sum);
}

int main() {
  const int rows = 45, columns = 132;
  Inputs inputs;
  const std::vector<float> matrix = inputs.floats(rows * columns), x = inputs.floats(columns), xt = inputs.floats(rows);
  std::vector<float> y(rows), yt(columns);
  for (int r = 0; r < rows; ++r) { double s = 0; for (int c = 0; c < columns; ++c) s += double(matrix[r * columns + c]) * x[c]; y[r] = float(s); }
  for (int c = 0; c < columns; ++c) { double s = 0; for (int r = 0; r < rows; ++r) s += double(matrix[r * columns + c]) * xt[r]; yt[c] = float(s); }
  OnCard<float> cm(matrix), cx(x), cxt(xt), cy(rows), cyt(columns);
  rows_kernel<<<12, 128>>>(reinterpret_cast<float4*>(cm.data), reinterpret_cast<float4*>(cx.data), cy, rows, columns / 4);
  same(cy.fetch(), y, 1e-5);
  cyt.zero();
  columns_kernel<<<dim3(3, 3), 64>>>(cm, cxt, cyt, rows, columns);
  same(cyt.fetch(), yt, 1e-5);
  return 0;
}
