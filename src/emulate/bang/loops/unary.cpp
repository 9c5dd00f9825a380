// One operand. Transcendental functions are the C library's, in float from a result in double: more exact than the chip's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emulate/common/half.h"
#include "emulate/bang/loops/loops.h"
#include "emulate/bang/loops/tables.h"

namespace starbridge::emulate::bang::SB_LOOPS {

using namespace emulate::SB_LOOPS;

namespace {

constexpr std::int64_t kChunk = 512;

template <class F>
void each(float* to, const float* from, std::int64_t n, F f) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
}

float sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); }
float gelu(float x) { return static_cast<float>(0.5 * x * (1.0 + std::erf(x * 0.70710678118654752))); }
// The tanh form.
float gelu_tanh(float x) {
  const double y = x;
  return static_cast<float>(0.5 * y * (1.0 + std::tanh(0.79788456080286536 * (y + 0.044715 * y * y * y))));
}

bool unary_float(int operation, float* to, const float* from, std::int64_t n) {
  switch (operation) {
    case SB_ABS: each(to, from, n, [](float x) { return std::fabs(x); }); return true;
    case SB_NEG: each(to, from, n, [](float x) { return -x; }); return true;
    case SB_SQUARE: each(to, from, n, [](float x) { return x * x; }); return true;
    case SB_SQRT: each(to, from, n, [](float x) { return std::sqrt(x); }); return true;
    case SB_RSQRT: each(to, from, n, [](float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }); return true;
    case SB_RECIP: each(to, from, n, [](float x) { return 1.0f / x; }); return true;
    case SB_EXP: each(to, from, n, [](float x) { return std::exp(x); }); return true;
    case SB_EXP2: each(to, from, n, [](float x) { return std::exp2(x); }); return true;
    case SB_LOG: each(to, from, n, [](float x) { return std::log(x); }); return true;
    case SB_LOG2: each(to, from, n, [](float x) { return std::log2(x); }); return true;
    case SB_LOG10: each(to, from, n, [](float x) { return std::log10(x); }); return true;
    case SB_LOG1P: each(to, from, n, [](float x) { return std::log1p(x); }); return true;
    case SB_SIN: each(to, from, n, [](float x) { return std::sin(x); }); return true;
    case SB_COS: each(to, from, n, [](float x) { return std::cos(x); }); return true;
    case SB_TANH: each(to, from, n, [](float x) { return std::tanh(x); }); return true;
    case SB_ERF: each(to, from, n, [](float x) { return std::erf(x); }); return true;
    case SB_SIGMOID: each(to, from, n, &sigmoid); return true;
    case SB_GELU: each(to, from, n, &gelu); return true;
    case SB_GELUP: each(to, from, n, &gelu_tanh); return true;
    case SB_SOFTPLUS: each(to, from, n, [](float x) { return x > 20 ? x : std::log1p(std::exp(x)); }); return true;
    case SB_RELU: each(to, from, n, [](float x) { return x > 0 ? x : 0.0f; }); return true;
    // The chip's sign of zero is 1.
    case SB_SIGN: each(to, from, n, [](float x) { return x < 0 ? -1.0f : 1.0f; }); return true;
    case SB_FLOOR: each(to, from, n, [](float x) { return std::floor(x); }); return true;
    case SB_CEIL: each(to, from, n, [](float x) { return std::ceil(x); }); return true;
    case SB_ROUND: each(to, from, n, [](float x) { return std::round(x); }); return true;
    case SB_TRUNC: each(to, from, n, [](float x) { return std::trunc(x); }); return true;
    case SB_NOT: each(to, from, n, [](float x) { return x == 0 ? 1.0f : 0.0f; }); return true;
    default: return false;
  }
}

template <class T>
bool unary_integer(int operation, void* to, const void* from, std::int64_t n) {
  auto* d = static_cast<T*>(to);
  const auto* x = static_cast<const T*>(from);
  using Bits = std::make_unsigned_t<T>;
  switch (operation) {
    case SB_ABS:
      for (std::int64_t i = 0; i < n; ++i) d[i] = x[i] < 0 ? static_cast<T>(Bits(0) - Bits(x[i])) : x[i];
      return true;
    case SB_NEG:
      for (std::int64_t i = 0; i < n; ++i) d[i] = static_cast<T>(Bits(0) - Bits(x[i]));
      return true;
    case SB_SQUARE:
      for (std::int64_t i = 0; i < n; ++i) d[i] = static_cast<T>(std::uint64_t(x[i]) * std::uint64_t(x[i]));
      return true;
    case SB_NOT:
      for (std::int64_t i = 0; i < n; ++i) d[i] = x[i] == 0 ? T(1) : T(0);
      return true;
    case SB_BNOT:
      for (std::int64_t i = 0; i < n; ++i) d[i] = static_cast<T>(~x[i]);
      return true;
    case SB_POPCNT:
      for (std::int64_t i = 0; i < n; ++i) d[i] = static_cast<T>(std::popcount(Bits(x[i])));
      return true;
    case SB_RELU:
      for (std::int64_t i = 0; i < n; ++i) d[i] = x[i] > 0 ? x[i] : T(0);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool unary(int operation, int type, void* to, const void* from, std::int64_t n) {
  if (operation == SB_BNOT || operation == SB_POPCNT) {
    static const int as_integer[] = {SB_S32, SB_S16, SB_S16};
    if (is_floating(type)) type = as_integer[type];
  }
  switch (type) {
    case SB_F32: return unary_float(operation, static_cast<float*>(to), static_cast<const float*>(from), n);
    case SB_S32: return unary_integer<std::int32_t>(operation, to, from, n);
    case SB_U32: return unary_integer<std::uint32_t>(operation, to, from, n);
    case SB_S16: return unary_integer<std::int16_t>(operation, to, from, n);
    case SB_U16: return unary_integer<std::uint16_t>(operation, to, from, n);
    case SB_S8: return unary_integer<std::int8_t>(operation, to, from, n);
    case SB_U8: return unary_integer<std::uint8_t>(operation, to, from, n);
    default: break;
  }
  if (!is_floating(type)) return false;
  float x[kChunk];
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t count = std::min(kChunk, n - i);
    floats_of(type, x, static_cast<const char*>(from) + i * 2, count);
    if (!unary_float(operation, x, x, count)) return false;
    floats_to(type, static_cast<char*>(to) + i * 2, x, count);
  }
  return true;
}

void multiply(float* to, const float* left, const float* right, std::int64_t m, std::int64_t k, std::int64_t n) {
  for (std::int64_t row = 0; row < m; ++row) {
    float* out = to + row * n;
    for (std::int64_t column = 0; column < n; ++column) out[column] = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      const float factor = left[row * k + i];
      const float* values = right + i * n;
#pragma GCC ivdep
      for (std::int64_t column = 0; column < n; ++column) out[column] += factor * values[column];
    }
  }
}

const Loops kLoops = {&binary, &unary, &fuse, &convert, &multiply, &floats_of, &floats_to};

}  // namespace starbridge::emulate::bang::SB_LOOPS
