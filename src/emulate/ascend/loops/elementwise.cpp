// Arithmetic in float (half and bfloat16 pass through it, rounded once per instruction) and in integers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulate/common/half.h"
#include "emulate/ascend/loops/tables.h"

namespace starbridge::emulate::ascend::SB_LOOPS {

using namespace emulate::SB_LOOPS;

namespace {

constexpr std::int64_t kChunk = 512;

template <class F>
void each(float* to, const float* a, std::int64_t n, F f) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = f(a[i]);
}
template <class F>
void each(float* to, const float* a, const float* b, std::int64_t n, F f) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = f(a[i], b[i]);
}

float sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); }
float gelu_tanh(float x) {
  const double y = x;
  return static_cast<float>(0.5 * y * (1.0 + std::tanh(0.79788456080286536 * (y + 0.044715 * y * y * y))));
}
// x / (1 + exp(-1.702 x))
// The polynomial of I-BERT (Kim et al., 2021) in place of erf.
float gelu_faster(float x) {
  const double t = std::min(std::fabs(static_cast<double>(x)) * 0.7071, 1.769) - 1.769;
  return static_cast<float>(x * ((x >= 0 ? 1.0 : -1.0) * (-0.1444 * t * t + 0.5) + 0.5));
}
float gelu_fast(float x) { return static_cast<float>(x / (1.0 + std::exp(-1.702 * static_cast<double>(x)))); }
double digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::nan("");
  double result = 0;
  if (x < 0) return digamma(1 - x) - 3.14159265358979324 / std::tan(3.14159265358979324 * x);
  for (; x < 10; ++x) result -= 1 / x;
  const double y = 1 / (x * x);  // asymptotic series, Abramowitz and Stegun 6.3.18
  return result + std::log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

bool one(int op, float* d, const float* a, std::int64_t n) {
  switch (op) {
    case SB_COPY: each(d, a, n, [](float x) { return x; }); return true;
    case SB_EXP: each(d, a, n, [](float x) { return std::exp(x); }); return true;
    case SB_LN: each(d, a, n, [](float x) { return std::log(x); }); return true;
    case SB_ABS: each(d, a, n, [](float x) { return std::fabs(x); }); return true;
    case SB_NEG: each(d, a, n, [](float x) { return -x; }); return true;
    case SB_RECIPROCAL: each(d, a, n, [](float x) { return 1.0f / x; }); return true;
    case SB_SQRT: each(d, a, n, [](float x) { return std::sqrt(x); }); return true;
    case SB_RSQRT: each(d, a, n, [](float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }); return true;
    case SB_RELU: each(d, a, n, [](float x) { return x > 0 ? x : x != x ? x : 0.0f; }); return true;
    case SB_TANH: each(d, a, n, [](float x) { return std::tanh(x); }); return true;
    case SB_SIN: each(d, a, n, [](float x) { return std::sin(x); }); return true;
    case SB_COS: each(d, a, n, [](float x) { return std::cos(x); }); return true;
    case SB_TAN: each(d, a, n, [](float x) { return std::tan(x); }); return true;
    case SB_SINH: each(d, a, n, [](float x) { return std::sinh(x); }); return true;
    case SB_COSH: each(d, a, n, [](float x) { return std::cosh(x); }); return true;
    case SB_ASIN: each(d, a, n, [](float x) { return std::asin(x); }); return true;
    case SB_ACOS: each(d, a, n, [](float x) { return std::acos(x); }); return true;
    case SB_ATAN: each(d, a, n, [](float x) { return std::atan(x); }); return true;
    case SB_ASINH: each(d, a, n, [](float x) { return std::asinh(x); }); return true;
    case SB_ACOSH: each(d, a, n, [](float x) { return std::acosh(x); }); return true;
    case SB_ATANH: each(d, a, n, [](float x) { return std::atanh(x); }); return true;
    case SB_LOG2: each(d, a, n, [](float x) { return std::log2(x); }); return true;
    case SB_LOG10: each(d, a, n, [](float x) { return std::log10(x); }); return true;
    case SB_ERF: each(d, a, n, [](float x) { return std::erf(x); }); return true;
    case SB_ERFC: each(d, a, n, [](float x) { return std::erfc(x); }); return true;
    case SB_FLOOR: each(d, a, n, [](float x) { return std::floor(x); }); return true;
    case SB_CEIL: each(d, a, n, [](float x) { return std::ceil(x); }); return true;
    case SB_ROUND_EVEN: each(d, a, n, [](float x) { return std::nearbyint(x); }); return true;
    case SB_TRUNC: each(d, a, n, [](float x) { return std::trunc(x); }); return true;
    case SB_FRAC: each(d, a, n, [](float x) { return x - std::trunc(x); }); return true;
    case SB_SIGN: each(d, a, n, [](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }); return true;
    case SB_SIGMOID: each(d, a, n, &sigmoid); return true;
    case SB_GELU_TANH: each(d, a, n, &gelu_tanh); return true;
    case SB_GELU_FASTER: each(d, a, n, &gelu_faster); return true;
    case SB_GELU_FAST: each(d, a, n, &gelu_fast); return true;
    case SB_SILU: each(d, a, n, [](float x) { return x * sigmoid(x); }); return true;
    case SB_LGAMMA: each(d, a, n, [](float x) { return static_cast<float>(std::lgamma(static_cast<double>(x))); }); return true;
    case SB_DIGAMMA: each(d, a, n, [](float x) { return static_cast<float>(digamma(x)); }); return true;
    default: return false;
  }
}

// `d` holds the old destination where the instruction reads it.
bool two(int op, float* d, const float* a, const float* b, std::int64_t n) {
  switch (op) {
    case SB_ADD: each(d, a, b, n, [](float x, float y) { return x + y; }); return true;
    case SB_SUB: each(d, a, b, n, [](float x, float y) { return x - y; }); return true;
    case SB_MUL: each(d, a, b, n, [](float x, float y) { return x * y; }); return true;
    case SB_DIV: each(d, a, b, n, [](float x, float y) { return x / y; }); return true;
    case SB_MAX: each(d, a, b, n, [](float x, float y) { return x > y ? x : y; }); return true;
    case SB_MIN: each(d, a, b, n, [](float x, float y) { return x < y ? x : y; }); return true;
    case SB_ADD_RELU: each(d, a, b, n, [](float x, float y) { return std::max(x + y, 0.0f); }); return true;
    case SB_SUB_RELU: each(d, a, b, n, [](float x, float y) { return std::max(x - y, 0.0f); }); return true;
    case SB_POWER: each(d, a, b, n, [](float x, float y) { return std::pow(x, y); }); return true;
    case SB_FMOD: each(d, a, b, n, [](float x, float y) { return std::fmod(x, y); }); return true;
    case SB_LEAKY_RELU: each(d, a, b, n, [](float x, float y) { return x >= 0 ? x : x * y; }); return true;
    case SB_MUL_ADD_DST:
    case SB_AXPY: for (std::int64_t i = 0; i < n; ++i) d[i] = std::fma(a[i], b[i], d[i]); return true;
    case SB_FUSED_MUL_ADD: for (std::int64_t i = 0; i < n; ++i) d[i] = std::fma(a[i], d[i], b[i]); return true;
    case SB_FUSED_MUL_ADD_RELU: for (std::int64_t i = 0; i < n; ++i) d[i] = std::max(std::fma(a[i], d[i], b[i]), 0.0f); return true;
    default: return false;
  }
}

template <class T>
bool integer(const LoopCall& c) {
  using Bits = std::make_unsigned_t<T>;
  auto* d = static_cast<T*>(c.dst);
  const auto* a = static_cast<const T*>(c.src[0]);
  const auto* b = static_cast<const T*>(c.src[1]);
  T value;
  std::memcpy(&value, &c.value, sizeof value);
  auto run = [&](auto f) {
    if (c.src_count == 2) {
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = static_cast<T>(f(a[i], b[i]));
    } else {
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = static_cast<T>(f(a[i], value));
    }
    return true;
  };
  const int width = static_cast<int>(sizeof(T)) * 8;
  // Sums and products wrap as 64-bit words do.
  auto word = [](T x) { return static_cast<std::uint64_t>(x); };
  switch (c.op) {
    case SB_COPY:
      if (c.has_value)
        std::fill(d, d + c.n, value);
      else
        std::memmove(d, a, static_cast<std::size_t>(c.n) * sizeof(T));
      return true;
    case SB_ADD: return run([&](T x, T y) { return word(x) + word(y); });
    case SB_SUB: return run([&](T x, T y) { return word(x) - word(y); });
    case SB_MUL: return run([&](T x, T y) { return word(x) * word(y); });
    case SB_DIV: return run([](T x, T y) { return y == 0 ? T(0) : static_cast<T>(std::is_signed_v<T> && y == T(-1) ? Bits(0) - Bits(x) : Bits(x / y)); });
    case SB_MAX: return run([](T x, T y) { return std::max(x, y); });
    case SB_MIN: return run([](T x, T y) { return std::min(x, y); });
    case SB_AND: return run([](T x, T y) { return x & y; });
    case SB_OR: return run([](T x, T y) { return x | y; });
    case SB_XOR: return run([](T x, T y) { return x ^ y; });
    case SB_ADD_RELU: return run([](T x, T y) { return std::max<std::int64_t>(std::int64_t(x) + std::int64_t(y), 0); });
    case SB_SUB_RELU: return run([](T x, T y) { return std::max<std::int64_t>(std::int64_t(x) - std::int64_t(y), 0); });
    case SB_LEAKY_RELU: return run([](T x, T y) { return x >= 0 ? x : static_cast<T>(x * y); });
    case SB_SHIFT_LEFT: return run([&](T x, T y) { return y >= T(width) ? Bits(0) : Bits(Bits(x) << y); });
    case SB_SHIFT_RIGHT: return run([&](T x, T y) { return y >= T(width) ? T(x < 0 ? -1 : 0) : T(x >> y); });
    case SB_SHIFT_RIGHT_ROUND: return run([&](T x, T y) { return y == 0 ? x : y >= T(width) ? T(0) : T((x >> y) + (x >> (y - 1) & 1)); });
    case SB_NOT:
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = static_cast<T>(~a[i]);
      return true;
    case SB_ABS:
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = a[i] < 0 ? static_cast<T>(Bits(0) - Bits(a[i])) : a[i];
      return true;
    case SB_NEG:
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = static_cast<T>(Bits(0) - Bits(a[i]));
      return true;
    case SB_RELU:
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = std::max(a[i], T(0));
      return true;
    case SB_POWER: return run([](T x, T y) { return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y))); });
    case SB_MUL_ADD_DST:
      for (std::int64_t i = 0; i < c.n; ++i) d[i] = static_cast<T>(word(a[i]) * (c.src_count == 2 ? word(b[i]) : word(value)) + word(d[i]));
      return true;
    default: return false;
  }
}

}  // namespace

void to_float(int type, float* to, const void* from, std::int64_t n) {
  if (type == SB_F32) std::memmove(to, from, static_cast<std::size_t>(n) * 4);
  if (type == SB_F16) to_floats(to, static_cast<const Half*>(from), n);
  if (type == SB_BF16) to_floats(to, static_cast<const Brain*>(from), n);
}
void from_float(int type, void* to, const float* from, std::int64_t n) {
  if (type == SB_F32) std::memmove(to, from, static_cast<std::size_t>(n) * 4);
  if (type == SB_F16) from_floats(static_cast<Half*>(to), from, n);
  if (type == SB_BF16) from_floats(static_cast<Brain*>(to), from, n);
}

bool apply_float(const LoopCall& c) {
  float value = 0;
  if (c.has_value) {
    to_float(c.type, &value, &c.value, 1);
    if (c.op == SB_COPY) {
      if (c.to_type == SB_F32) {
        std::fill_n(static_cast<float*>(c.dst), c.n, value);
      } else {
        std::uint16_t bits;
        std::memcpy(&bits, &c.value, 2);
        std::fill_n(static_cast<std::uint16_t*>(c.dst), c.n, bits);
      }
      return true;
    }
  }
  if (c.op == SB_COPY) {
    std::memmove(c.dst, c.src[0], static_cast<std::size_t>(c.n * kTypeBytes[c.type]));
    return true;
  }
  const bool has_two = c.src_count == 2 || c.has_value;
  float d[kChunk], a[kChunk], b[kChunk];
  if (c.has_value) std::fill_n(b, kChunk, value);
  const int to_bytes = kTypeBytes[c.to_type];
  for (std::int64_t at = 0; at < c.n; at += kChunk) {
    const std::int64_t n = std::min(kChunk, c.n - at);
    auto operand = [&](int i, float* copy) -> const float* {
      const char* from = static_cast<const char*>(c.src[i]) + at * kTypeBytes[c.src_type[i]];
      if (c.src_type[i] == SB_F32) return reinterpret_cast<const float*>(from);
      to_float(c.src_type[i], copy, from, n);
      return copy;
    };
    char* out = static_cast<char*>(c.dst) + at * to_bytes;
    const float* x = operand(0, a);
    const float* y = c.src_count == 2 ? operand(1, b) : b;
    float* z = c.to_type == SB_F32 ? reinterpret_cast<float*>(out) : d;
    if (c.reads_dst && c.to_type != SB_F32) to_float(c.to_type, d, out, n);
    if (!(has_two ? two(c.op, z, x, y, n) : one(c.op, z, x, n))) return false;
    if (c.to_type != SB_F32) {
      if (c.to_type == SB_F16 || c.to_type == SB_BF16) {
        from_float(c.to_type, out, d, n);
      } else {
        for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<std::int8_t*>(out)[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(d[i]), -128.0f, 127.0f));
      }
    }
  }
  return true;
}

bool apply_integer(const LoopCall& c) {
  switch (c.type) {
    case SB_S32: return integer<std::int32_t>(c);
    case SB_U32: return integer<std::uint32_t>(c);
    case SB_S16: return integer<std::int16_t>(c);
    case SB_U16: return integer<std::uint16_t>(c);
    case SB_S8: return integer<std::int8_t>(c);
    case SB_U8: return integer<std::uint8_t>(c);
    case SB_S64: return integer<std::int64_t>(c);
    case SB_U64: return integer<std::uint64_t>(c);
    default: return false;
  }
}

namespace {

bool apply(const LoopCall& c) {
  if (c.op == SB_CAST) return apply_cast(c);
  if (c.op >= SB_LT && c.op <= SB_NE) return apply_compare(c);
  // Bitwise work on halves is on their bits.
  if (is_floating(c.type) && (c.op == SB_AND || c.op == SB_OR || c.op == SB_XOR || c.op == SB_NOT)) {
    LoopCall bits = c;
    bits.type = kTypeBytes[c.type] == 2 ? SB_U16 : SB_U32;
    return apply_integer(bits);
  }
  return is_floating(c.type) ? apply_float(c) : apply_integer(c);
}

// Sums in float, row by row; the compiler makes vectors of the inner loop.
void multiply(float* c, const float* a, const float* b, std::int64_t m, std::int64_t k, std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t p = 0; p < k; ++p) {
      const float x = a[i * k + p];
      float* __restrict to = c + i * n;
      const float* __restrict from = b + p * n;
      for (std::int64_t j = 0; j < n; ++j) to[j] += x * from[j];
    }
  }
}

void add_pairs(float* __restrict to, const float* __restrict from, std::int64_t n) {
  for (std::int64_t i = 0; i < n / 2; ++i) to[i] = from[2 * i] + from[2 * i + 1];
  if (n % 2 != 0) to[n / 2] = from[n - 1];
}

}  // namespace

extern const Loops kLoops;
const Loops kLoops = {&apply, &to_float, &from_float, &multiply, &add_pairs};

}  // namespace starbridge::emulate::ascend::SB_LOOPS
