// Blocks of 16 by 16 threads, tiles in shared memory, barriers in a loop; sizes that are no multiples.
#include "check.h"

constexpr int kTile = 16;

__global__ void multiply(float* c, const float* a, const float* b, int rows, int columns, int inner) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < inner; k += kTile) {
    left[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : 0.0f;
    right[y][x] = k + y < inner && column < columns ? b[(k + y) * columns + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
  const int rows = 37, columns = 53, inner = 29;
  const std::vector<float> a = floats(rows * inner), b = floats(inner * columns);
  float *a_card = to_card(a), *b_card = to_card(b), *c_card = to_card(std::vector<float>(rows * columns));
  multiply<<<dim3((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), dim3(kTile, kTile)>>>(c_card, a_card, b_card, rows, columns, inner);
  const std::vector<float> got = from_card(c_card, rows * columns);
  CHECK(cudaFree(a_card));
  CHECK(cudaFree(b_card));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      double wanted = 0;
      for (int k = 0; k < inner; ++k) wanted += double(a[r * inner + k]) * b[k * columns + c];
      expect(got[r * columns + c], wanted, 1e-5, "c", r * columns + c);
    }
}
