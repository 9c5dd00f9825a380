// Fast intrinsics within the errors the programming guide states, against double on the host.
#include "check.h"

constexpr int kKinds = 11;
__global__ void fast(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i], p = fabsf(v) + 0.25f;
  float* to = out + i * kKinds;
  to[0] = __expf(v), to[1] = __logf(p), to[2] = __log2f(p), to[3] = __sinf(v), to[4] = __cosf(v), to[5] = __powf(p, v);
  to[6] = __fdividef(v, p), to[7] = __frcp_rn(p), to[8] = __frsqrt_rn(p), to[9] = __fsqrt_rn(p), to[10] = __saturatef(v);
}

int main() {
  const int n = 400;
  std::vector<float> x = Inputs().floats(n);
  for (float& v : x) v *= 3;
  OnCard<float> from(x), to(n * kKinds);
  fast<<<4, 100>>>(from, to, n);
  const std::vector<float> got = to.fetch();
  for (int i = 0; i < n; ++i) {
    const double v = x[i], p = double(std::fabs(x[i]) + 0.25f);
    const double wanted[kKinds] = {std::exp(v), std::log(p), std::log2(p), std::sin(v), std::cos(v), std::pow(p, v), v / p, 1 / p,
                                   1 / std::sqrt(p), std::sqrt(p), std::min(std::max(v, 0.0), 1.0)};
    for (int k = 0; k < kKinds; ++k) {
      const double error = std::fabs(got[i * kKinds + k] - wanted[k]);
      const double allowed = k == 7 || k == 8 || k == 9 ? std::fabs(wanted[k]) * 6e-8 : 2e-6 * std::max(1.0, std::fabs(wanted[k]));
      if (error > allowed) {
        std::printf("kind %d of %g: %g, wanted %g\n", k, v, double(got[i * kKinds + k]), wanted[k]);
        return 1;
      }
    }
  }
  return 0;
}
