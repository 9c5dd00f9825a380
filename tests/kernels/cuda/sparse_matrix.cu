// Sparse matrix times vector in rows (scalar and warp per row) and in coordinates with double atomics.
#include "check.h"

__global__ void scalar_rows(int rows, const int* starts, const int* columns, const double* values, const double* x, double* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
__global__ void warp_rows(int rows, const int* __restrict__ starts, const int* __restrict__ columns, const double* __restrict__ values, const double* __restrict__ x, double* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += warpSize) sum += values[i] * __ldg(&x[columns[i]]);
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) y[row] = sum;
}
__global__ void coordinates(int count, const int* row_of, const int* columns, const double* values, const double* x, double* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&y[row_of[i]], values[i] * x[columns[i]]);
}

int main() {
  const int rows = 90, width = 70;
  Inputs inputs;
  std::vector<int> starts = {0}, columns, row_of;
  std::vector<double> values, x(width), y(rows, 0.0);
  for (double& v : x) v = inputs.unit();
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < width; ++c) {
      if (inputs.next() % 5 != 0 || r % 7 == 3) continue;  // some rows are empty
      columns.push_back(c), row_of.push_back(r), values.push_back(inputs.unit());
      y[r] += values.back() * x[c];
    }
    starts.push_back(int(columns.size()));
  }
  OnCard<int> cs(starts), cc(columns), cr(row_of);
  OnCard<double> cv(values), cx(x), cy(rows);
  auto check = [&] {
    const std::vector<double> got = cy.fetch();
    for (int r = 0; r < rows; ++r) EXPECT(std::fabs(got[r] - y[r]) < 1e-12);
    cy.zero();
  };
  scalar_rows<<<3, 32>>>(rows, cs, cc, cv, cx, cy), check();
  warp_rows<<<23, 128>>>(rows, cs, cc, cv, cx, cy), check();
  coordinates<<<2, 96>>>(int(values.size()), cr, cc, cv, cx, cy), check();
  return 0;
}
