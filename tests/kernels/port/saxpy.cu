// A vector by a value plus a vector; odd length, the last block partly idle.
#include "check.h"

__global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}

int main() {
  for (int n : {1, 255, 256, 257, 10007}) {
    const std::vector<float> x = floats(n), y = floats(n);
    float *x_card = to_card(x), *y_card = to_card(y);
    saxpy<<<(n + 255) / 256, 256>>>(y_card, x_card, 1.5f, n);
    const std::vector<float> got = from_card(y_card, n);
    CHECK(cudaFree(x_card));
    for (int i = 0; i < n; ++i) expect(got[i], 1.5f * x[i] + y[i], 1e-6, "y", i);
  }
}
