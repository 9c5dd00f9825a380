// A loop over the grid, functions, a choice between values.
#include "check.h"

__device__ float gelu(float x) { return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }

__global__ void activate(float* to, const float* from, int n, float limit) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = from[i];
    to[i] = x > limit ? limit : gelu(x);
  }
}

int main() {
  const int n = 5003;
  const std::vector<float> in = floats(n);
  float* from = to_card(in);
  float* to = to_card(std::vector<float>(n));
  activate<<<4, 128>>>(to, from, n, 2.5f);
  const std::vector<float> got = from_card(to, n);
  CHECK(cudaFree(from));
  for (int i = 0; i < n; ++i) {
    const double x = in[i];
    expect(got[i], x > 2.5 ? 2.5 : 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))), 1e-5, "to", i);
  }
}
