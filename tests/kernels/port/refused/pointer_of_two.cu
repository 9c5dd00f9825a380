// refused: a pointer may point into different arrays
// A function that returns one of two arrays, and a pointer that begins null and is asked for later.
#include "../check.h"

__device__ float* either(float* a, float* b, int i) {
  if (i % 2 == 0) return a;
  return b;
}
__global__ void stores(float* a, float* b, int n) {
  const int i = threadIdx.x;
  if (i < n) either(a, b, i)[i] = 1.0f;
}
int main() {
  std::vector<float> zeros(64);
  float *a = to_card(zeros), *b = to_card(zeros);
  stores<<<1, 64>>>(a, b, 64);
  return from_card(a, 64)[0] == 1.0f ? 0 : 1;
}
