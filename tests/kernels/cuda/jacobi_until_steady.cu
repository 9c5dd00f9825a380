// Jacobi iterations until the largest change is small: block maxima in shared memory, atomicMax on the bits of a float.
#include <cstring>

#include "check.h"

__global__ void sweep(const float* matrix, const float* right, const float* x, float* next, unsigned* change, int n) {
  __shared__ float changes[64];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float moved = 0;
  if (row < n) {
    float sum = right[row];
    for (int j = 0; j < n; ++j)
      if (j != row) sum -= matrix[row * n + j] * x[j];
    next[row] = sum / matrix[row * n + row];
    moved = fabsf(next[row] - x[row]);
  }
  changes[threadIdx.x] = moved;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) changes[threadIdx.x] = fmaxf(changes[threadIdx.x], changes[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicMax(change, __float_as_uint(changes[0]));
}

int main() {
  const int n = 70;
  Inputs inputs;
  std::vector<float> matrix = inputs.floats(n * n), solution = inputs.floats(n), right(n, 0.0f);
  for (int i = 0; i < n; ++i) matrix[i * n + i] = float(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) right[i] += matrix[i * n + j] * solution[j];
  OnCard<float> cm(matrix), cr(right), a(n), b(n);
  OnCard<unsigned> change(1);
  a.zero();
  float *from = a, *to = b;
  int rounds = 0;
  for (float moved = 1; moved > 1e-6f && rounds < 200; ++rounds) {
    change.zero();
    sweep<<<2, 64>>>(cm, cr, from, to, change, n);
    const unsigned bits = change.fetch()[0];
    std::memcpy(&moved, &bits, sizeof moved);
    std::swap(from, to);
  }
  EXPECT(rounds > 3 && rounds < 100);
  std::vector<float> got(n);
  CHECK(cudaMemcpy(got.data(), from, n * sizeof(float), cudaMemcpyDeviceToHost));
  same(got, solution, 1e-4);
  return 0;
}
