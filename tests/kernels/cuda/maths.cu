// Device maths against the host's double precision: a bound in units of the last place for each function.
#include "check.h"

__global__ void functions(const float* x, float* out, int count) {
  const int t = threadIdx.x;
  if (t >= count) return;
  const float a = x[t];
  float* o = out + t * 24;
  o[0] = expf(a), o[1] = logf(a), o[2] = sinf(a), o[3] = cosf(a), o[4] = tanhf(a), o[5] = sqrtf(a), o[6] = rsqrtf(a), o[7] = cbrtf(a);
  o[8] = erff(a), o[9] = powf(a, 1.7f), o[10] = exp2f(a), o[11] = log2f(a), o[12] = atan2f(a, 2.0f), o[13] = fmodf(a, 0.3f), o[14] = sinpif(a);
  o[15] = erfinvf(a / 11), o[16] = normcdff(a), o[17] = __expf(a), o[18] = __fdividef(a, 3.0f), o[19] = hypotf(a, 2.0f), o[20] = tgammaf(a);
  o[21] = std::exp(a), o[22] = fminf(a, 1.0f) + fmaxf(a, 1.0f) + fabsf(-a), o[23] = exp(double(a)) > 0 ? log1pf(a) : 0;
}

int main() {
  const int count = 100;
  Inputs inputs;
  std::vector<float> x(count);
  for (float& value : x) value = 0.01f + std::fabs(inputs.unit()) * 9;
  OnCard<float> in(x), out(count * 24);
  functions<<<1, 128>>>(in, out, count);
  std::vector<float> got = out.fetch();
  for (int t = 0; t < count; ++t) {
    const double a = x[t];
    const double pi = 3.14159265358979323846;
    const double wanted[24] = {std::exp(a), std::log(a), std::sin(a), std::cos(a), std::tanh(a), std::sqrt(a), 1 / std::sqrt(a), std::cbrt(a),
                               std::erf(a), std::pow(a, double(1.7f)), std::exp2(a), std::log2(a), std::atan2(a, 2.0), std::fmod(a, double(0.3f)),
                               std::sin(pi * a), 0, 0.5 * std::erfc(-a / std::sqrt(2.0)), std::exp(a), a / 3, std::hypot(a, 2.0), std::tgamma(a),
                               std::exp(a), a + 1 + a, std::log1p(a)};
    for (int k = 0; k < 24; ++k) {
      const double value = got[t * 24 + k];
      if (k == 15) {
        EXPECT(std::fabs(std::erf(value) - double(x[t] / 11)) < 3e-7);
        continue;
      }
      const double bound = 4 * std::ldexp(1.0, -23) * std::max(std::fabs(wanted[k]), 1e-3) + (k == 14 ? 1e-7 : 0);
      if (std::fabs(value - wanted[k]) > bound) std::printf("function %d at %g: %g, wanted %g\n", k, a, value, wanted[k]);
      EXPECT(std::fabs(value - wanted[k]) <= bound);
    }
  }
}
