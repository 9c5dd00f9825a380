// Three steps of Adam with a template over the state's type; double-precision corrections computed in the kernel.
#include "check.h"

template <class T> struct Rates { T rate, beta1, beta2, epsilon, decay; };

template <class T> __global__ void adam(T* weights, const T* gradients, T* first, T* second, int n, Rates<T> r, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double correction1 = 1 - pow(double(r.beta1), step), correction2 = 1 - pow(double(r.beta2), step);
  const T g = gradients[i];
  first[i] = r.beta1 * first[i] + (1 - r.beta1) * g;
  second[i] = r.beta2 * second[i] + (1 - r.beta2) * g * g;
  const T m = T(first[i] / correction1), v = T(second[i] / correction2);
  weights[i] -= r.rate * (m / (sqrt(v) + r.epsilon) + r.decay * weights[i]);
}

template <class T> void check(double tolerance) {
  const int n = 300;
  Inputs inputs;
  std::vector<T> w(n), g(n), m(n, T(0)), v(n, T(0));
  for (int i = 0; i < n; ++i) w[i] = inputs.unit(), g[i] = inputs.unit();
  const Rates<T> r = {T(1e-2), T(0.9), T(0.999), T(1e-8), T(0.1)};
  OnCard<T> cw(w), cg(g), cm(m), cv(v);
  for (int step = 1; step <= 3; ++step) {
    adam<<<(n + 63) / 64, 64>>>(cw.data, cg.data, cm.data, cv.data, n, r, step);
    for (int i = 0; i < n; ++i) {
      m[i] = r.beta1 * m[i] + (1 - r.beta1) * g[i];
      v[i] = r.beta2 * v[i] + (1 - r.beta2) * g[i] * g[i];
      const double mh = m[i] / (1 - std::pow(double(r.beta1), step)), vh = v[i] / (1 - std::pow(double(r.beta2), step));
      w[i] -= r.rate * T(mh / (std::sqrt(vh) + r.epsilon) + r.decay * w[i]);
    }
  }
  const std::vector<T> got = cw.fetch();
  for (int i = 0; i < n; ++i) EXPECT(std::fabs(double(got[i] - w[i])) < tolerance);
}

int main() {
  check<float>(1e-5);
  check<double>(1e-12);
  return 0;
}
