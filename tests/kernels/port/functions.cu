// Functions of the C library, one value at a time and along the threads, at ordinary and at odd places.
#include "check.h"

__global__ void along(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = from[i];
  to[i] = expf(-x * x) + tanhf(x) * sqrtf(fabsf(x)) + sinf(x) * cosf(x) + floorf(x) - truncf(x * 0.5f) + rsqrtf(1.0f + x * x);
}

__global__ void one_by_one(float* to, const float* from, const int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = from[order[i]];
  float y = 0.0f;
  if (order[i] % 4 == 0) {
    y = powf(fabsf(x) + 0.5f, 1.7f) + log1pf(fabsf(x)) - expm1f(x * 0.25f);
  } else if (order[i] % 4 == 1) {
    y = fmodf(x * 10.0f, 0.75f) + rintf(x) * 3.0f + roundf(x * 2.0f);
  } else if (order[i] % 4 == 2) {
    y = erff(x) + copysignf(2.0f, x) + fmaxf(x, 0.25f) * fminf(x, -0.25f);
  } else {
    y = atanf(x) + log2f(fabsf(x) + 1.0f) + exp2f(x) + sinhf(x * 0.5f);
  }
  to[i] = y;
}

int main() {
  const int n = 1003;
  const std::vector<float> from = floats(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i * 7 % n;
  float *source = to_card(from), *to = to_card(std::vector<float>(n, 0.0f)), *other = to_card(std::vector<float>(n, 0.0f));
  int* order_card = to_card(order);
  along<<<(n + 255) / 256, 256>>>(to, source, n);
  one_by_one<<<(n + 255) / 256, 256>>>(other, source, order_card, n);
  const std::vector<float> first = from_card(to, n), second = from_card(other, n);
  for (int i = 0; i < n; ++i) {
    const float x = from[i];
    expect(first[i],
           std::exp(-x * x) + std::tanh(x) * std::sqrt(std::fabs(x)) + std::sin(x) * std::cos(x) + std::floor(x) - std::trunc(x * 0.5f) +
               1 / std::sqrt(1.0f + x * x),
           1e-4, "along", i);
  }
  for (int i = 0; i < n; ++i) {
    const float x = from[order[i]];
    const float wanted = order[i] % 4 == 0   ? std::pow(std::fabs(x) + 0.5f, 1.7f) + std::log1p(std::fabs(x)) - std::expm1(x * 0.25f)
                         : order[i] % 4 == 1 ? std::fmod(x * 10.0f, 0.75f) + std::rint(x) * 3.0f + std::round(x * 2.0f)
                         : order[i] % 4 == 2 ? std::erf(x) + std::copysign(2.0f, x) + std::fmax(x, 0.25f) * std::fmin(x, -0.25f)
                                             : std::atan(x) + std::log2(std::fabs(x) + 1.0f) + std::exp2(x) + std::sinh(x * 0.5f);
    expect(second[i], wanted, 1e-4, "one by one", i);
  }
  CHECK(cudaFree(source));
  CHECK(cudaFree(order_card));
}
