// Every arithmetic intrinsic with a named rounding against the processor's own rounding modes, over ordinary and extreme operands.
#include <cfenv>
#include <cfloat>
#include <cstring>
#include <limits>

#include "check.h"

// X(name, mode, expression over volatile a, b, c)
#define MODES(X, name, expression) X(name##_rn, FE_TONEAREST, expression) X(name##_rd, FE_DOWNWARD, expression) X(name##_ru, FE_UPWARD, expression) X(name##_rz, FE_TOWARDZERO, expression)
#define UNARY_FLOAT(X) MODES(X, __frcp, 1.0f / a) MODES(X, __fsqrt, std::sqrt(std::fabs(float(a))))
#define BINARY_FLOAT(X) MODES(X, __fadd, a + b) MODES(X, __fsub, a - b) MODES(X, __fmul, a * b) MODES(X, __fdiv, a / b)
#define TERNARY_FLOAT(X) MODES(X, __fmaf, std::fma(float(a), float(b), float(c)))
#define UNARY_DOUBLE(X) MODES(X, __drcp, 1.0 / a) MODES(X, __dsqrt, std::sqrt(std::fabs(double(a))))
#define BINARY_DOUBLE(X) MODES(X, __dadd, a + b) MODES(X, __dsub, a - b) MODES(X, __dmul, a * b) MODES(X, __ddiv, a / b)
#define TERNARY_DOUBLE(X) MODES(X, __fma, std::fma(double(a), double(b), double(c)))
constexpr int kOperations = 28;

__global__ void floats(const float* x, float* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const float a = x[3 * t], b = x[3 * t + 1], c = x[3 * t + 2];
  float* to = out + t * kOperations;
  // A root of a negative number is not asked for.
#define ONE(name, mode, expression) *to++ = name(sizeof(#name) == sizeof("__fsqrt_rn") ? fabsf(a) : a);
  UNARY_FLOAT(ONE)
#undef ONE
#define ONE(name, mode, expression) *to++ = name(a, b);
  BINARY_FLOAT(ONE)
#undef ONE
#define ONE(name, mode, expression) *to++ = name(a, b, c);
  TERNARY_FLOAT(ONE)
#undef ONE
}

__global__ void doubles(const double* x, double* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const double a = x[3 * t], b = x[3 * t + 1], c = x[3 * t + 2];
  double* to = out + t * kOperations;
#define ONE(name, mode, expression) *to++ = name(sizeof(#name) == sizeof("__dsqrt_rn") ? fabs(a) : a);
  UNARY_DOUBLE(ONE)
#undef ONE
#define ONE(name, mode, expression) *to++ = name(a, b);
  BINARY_DOUBLE(ONE)
#undef ONE
#define ONE(name, mode, expression) *to++ = name(a, b, c);
  TERNARY_DOUBLE(ONE)
#undef ONE
}

template <class T>
void compare(const char* name, T got, T wanted, const T* x) {
  if (std::memcmp(&got, &wanted, sizeof got) == 0 || (got != got && wanted != wanted)) return;
  std::printf("%s(%a, %a, %a): got %a, wanted %a\n", name, double(x[0]), double(x[1]), double(x[2]), double(got), double(wanted));
  std::exit(1);
}

template <class T, class F>
T rounded(int mode, F function) {
  std::fesetround(mode);
  volatile T result = function();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
std::vector<T> operands(int count, int exponent_max) {
  Inputs inputs;
  const T extremes[] = {std::numeric_limits<T>::max(), -std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::denorm_min(), 1, -1, T(1) / 3, 3, 7};
  std::vector<T> values(3 * count);
  for (int t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) {
      T value = T(1) + T(inputs.next()) / T(1u << 31) + T(inputs.next()) / T(1ull << 62);
      const int exponent = t % 3 == 0 ? int(inputs.next() % (2 * exponent_max)) - exponent_max : int(inputs.next() % 9) - 4;
      value = std::ldexp(inputs.next() % 2 == 0 ? value : -value, exponent);
      if (inputs.next() % 8 == 0) value = extremes[inputs.next() % 10];
      if (value == 0) value = 1;
      values[3 * t + k] = value;
    }
  }
  return values;
}

int main() {
  const int count = 3000;
  const std::vector<float> fx = operands<float>(count, 149);
  const std::vector<double> dx = operands<double>(count, 1074);
  OnCard<float> fin(fx), fout(count * kOperations);
  OnCard<double> din(dx), dout(count * kOperations);
  floats<<<(count + 127) / 128, 128>>>(fin, fout, count);
  doubles<<<(count + 127) / 128, 128>>>(din, dout, count);
  const std::vector<float> f = fout.fetch();
  const std::vector<double> d = dout.fetch();
  for (int t = 0; t < count; ++t) {
    {
      volatile float a = fx[3 * t], b = fx[3 * t + 1], c = fx[3 * t + 2];
      const float* got = &f[t * kOperations];
#define ONE(name, mode, expression) compare<float>(#name, *got++, rounded<float>(mode, [&] { return expression; }), &fx[3 * t]);
      UNARY_FLOAT(ONE) BINARY_FLOAT(ONE) TERNARY_FLOAT(ONE)
#undef ONE
    }
    volatile double a = dx[3 * t], b = dx[3 * t + 1], c = dx[3 * t + 2];
    const double* got = &d[t * kOperations];
#define ONE(name, mode, expression) compare<double>(#name, *got++, rounded<double>(mode, [&] { return expression; }), &dx[3 * t]);
    UNARY_DOUBLE(ONE) BINARY_DOUBLE(ONE) TERNARY_DOUBLE(ONE)
#undef ONE
  }
  std::printf("%d operands of %d operations in two precisions\n", count, kOperations);
}
