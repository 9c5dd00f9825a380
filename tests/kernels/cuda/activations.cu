// Pointwise activations and their derivatives, checked against differences: template functors over a grid-stride loop.
#include "check.h"

struct Gelu {
  __device__ static double value(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
  __device__ static float slope(float x) {
    const float cube = 0.044715f * x * x * x, t = tanhf(0.79788456f * (x + cube));
    return 0.5f * (1 + t) + x * 0.5f * (1 - t * t) * 0.79788456f * (1 + 3 * 0.044715f * x * x);
  }
};
struct Silu {
  __device__ static double value(double x) { return x / (1 + exp(-x)); }
  __device__ static float slope(float x) { const float s = 1 / (1 + __expf(-x)); return s * (1 + x * (1 - s)); }
};
struct Softplus {
  __device__ static double value(double x) { return log1p(exp(x)); }
  __device__ static float slope(float x) { return 1 / (1 + expf(-x)); }
};
struct ErfGelu {
  __device__ static double value(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865475)); }
  __device__ static float slope(float x) { return normcdff(x) + x * 0.39894228f * expf(-0.5f * x * x); }
};

template <class F> __global__ void slopes(const float* x, float* slope, float* wanted, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    slope[i] = F::slope(x[i]);
    wanted[i] = float((F::value(x[i] + 1e-5) - F::value(x[i] - 1e-5)) / 2e-5);
  }
}

template <class F> void check(const std::vector<float>& x) {
  OnCard<float> from(x), slope(x.size()), wanted(x.size());
  slopes<F><<<3, 64>>>(from, slope, wanted, int(x.size()));
  CHECK(cudaDeviceSynchronize());
  same(slope.fetch(), wanted.fetch(), 2e-5);
}

int main() {
  std::vector<float> x = Inputs().floats(500);
  for (float& v : x) v *= 6;
  check<Gelu>(x), check<Silu>(x), check<Softplus>(x), check<ErfGelu>(x);
  return 0;
}
