// Conversions in every rounding mode, with saturation; comparisons into bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "emulate/common/half.h"
#include "emulate/ascend/loops/tables.h"

namespace starbridge::emulate::ascend::SB_LOOPS {

using namespace emulate::SB_LOOPS;

namespace {

// To a whole number.
double rounded(double x, int mode) {
  switch (mode) {
    case SB_ROUND_FLOOR: return std::floor(x);
    case SB_ROUND_CEIL: return std::ceil(x);
    case SB_ROUND_ROUND: return std::round(x);
    case SB_ROUND_TRUNC: return std::trunc(x);
    case SB_ROUND_ODD: {
      const double down = std::trunc(x);
      if (down == x) return x;
      return std::fmod(down, 2) != 0 ? down : down + std::copysign(1.0, x);
    }
    default: return std::nearbyint(x);
  }
}

// To a float with `bits` bits of mantissa and a smallest exponent: scaled until the last place is 1. Beyond the largest: clamped.
float to_narrow(double x, int mode, int bits, int exponent_min, double largest) {
  if (x != x || x == 0 || std::isinf(x)) return static_cast<float>(std::isinf(x) ? std::copysign(largest, x) : x);
  const int exponent = std::max(std::ilogb(x), exponent_min);
  const double unit = std::ldexp(1.0, exponent - bits);
  const double y = rounded(x / unit, mode) * unit;
  return static_cast<float>(std::clamp(y, -largest, largest));
}

template <class T>
T to_integer(double x, int mode) {
  if (x != x) return 0;
  const double y = rounded(x, mode);
  if (y >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (y <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(y);
}

double read(int type, const void* from, std::int64_t i) {
  switch (type) {
    case SB_F32: return static_cast<const float*>(from)[i];
    case SB_F16: return to_float(static_cast<const Half*>(from)[i]);
    case SB_BF16: return to_float(static_cast<const Brain*>(from)[i]);
    case SB_S32: return static_cast<const std::int32_t*>(from)[i];
    case SB_U32: return static_cast<const std::uint32_t*>(from)[i];
    case SB_S16: return static_cast<const std::int16_t*>(from)[i];
    case SB_U16: return static_cast<const std::uint16_t*>(from)[i];
    case SB_S8: return static_cast<const std::int8_t*>(from)[i];
    case SB_U8: return static_cast<const std::uint8_t*>(from)[i];
    case SB_S4: {
      const int pair = static_cast<const std::uint8_t*>(from)[i / 2];
      const int nibble = i % 2 == 0 ? pair & 15 : pair >> 4;
      return nibble < 8 ? nibble : nibble - 16;
    }
    default: return static_cast<double>(static_cast<const std::int64_t*>(from)[i]);
  }
}

void write(int type, void* to, std::int64_t i, double x, int mode) {
  switch (type) {
    case SB_F32: static_cast<float*>(to)[i] = to_narrow(x, mode, 23, -126, 3.4028234663852886e38); break;
    case SB_F16: static_cast<Half*>(to)[i] = to_half(to_narrow(x, mode, 10, -14, 65504)); break;
    case SB_BF16: static_cast<Brain*>(to)[i] = to_brain(to_narrow(x, mode, 7, -126, 3.3895313892515355e38)); break;
    case SB_S32: static_cast<std::int32_t*>(to)[i] = to_integer<std::int32_t>(x, mode); break;
    case SB_U32: static_cast<std::uint32_t*>(to)[i] = to_integer<std::uint32_t>(x, mode); break;
    case SB_S16: static_cast<std::int16_t*>(to)[i] = to_integer<std::int16_t>(x, mode); break;
    case SB_U16: static_cast<std::uint16_t*>(to)[i] = to_integer<std::uint16_t>(x, mode); break;
    case SB_S8: static_cast<std::int8_t*>(to)[i] = to_integer<std::int8_t>(x, mode); break;
    case SB_U8: static_cast<std::uint8_t*>(to)[i] = to_integer<std::uint8_t>(x, mode); break;
    case SB_S4: {
      const int nibble = static_cast<int>(std::clamp(rounded(x, mode), -8.0, 7.0)) & 15;
      std::uint8_t& pair = static_cast<std::uint8_t*>(to)[i / 2];
      pair = static_cast<std::uint8_t>(i % 2 == 0 ? (pair & 0xf0) | nibble : (pair & 0x0f) | nibble << 4);
      break;
    }
    case SB_U64: static_cast<std::uint64_t*>(to)[i] = to_integer<std::uint64_t>(x, mode); break;
    default: static_cast<std::int64_t*>(to)[i] = to_integer<std::int64_t>(x, mode);
  }
}

bool is_integer(int type) { return type >= SB_S32; }

template <class T>
void whole(T* to, const float* from, std::int64_t n, int mode) {
  constexpr float low = static_cast<float>(std::numeric_limits<T>::min()), high = static_cast<float>(std::numeric_limits<T>::max());
  auto run = [&](auto f) {
    for (std::int64_t i = 0; i < n; ++i) {
      const float x = f(from[i]);
      to[i] = x != x ? T(0) : x >= high ? std::numeric_limits<T>::max() : x <= low ? std::numeric_limits<T>::min() : static_cast<T>(x);
    }
  };
  if (mode == SB_ROUND_FLOOR) return run([](float x) { return std::floor(x); });
  if (mode == SB_ROUND_CEIL) return run([](float x) { return std::ceil(x); });
  if (mode == SB_ROUND_TRUNC) return run([](float x) { return std::trunc(x); });
  if (mode == SB_ROUND_ROUND) return run([](float x) { return std::round(x); });
  run([](float x) { return std::nearbyint(x); });
}

// The frequent conversions in loops a compiler can make vectors of. False: none of them.
bool fast(const LoopCall& c) {
  const bool to_even = c.rounding == SB_ROUND_NONE || c.rounding == SB_ROUND_RINT;
  const int from = c.src_type[0];
  if (c.to_type == SB_F32 && (from == SB_F16 || from == SB_BF16)) {
    to_float(from, static_cast<float*>(c.dst), c.src[0], c.n);
    return true;
  }
  if (c.to_type == SB_F32 && from == SB_S32 && to_even) {
    const auto* a = static_cast<const std::int32_t*>(c.src[0]);
    for (std::int64_t i = 0; i < c.n; ++i) static_cast<float*>(c.dst)[i] = static_cast<float>(a[i]);
    return true;
  }
  if (from == SB_F32 && c.rounding != SB_ROUND_ODD && c.dst != c.src[0]) {
    const auto* a = static_cast<const float*>(c.src[0]);
    if (c.to_type == SB_S32) return whole(static_cast<std::int32_t*>(c.dst), a, c.n, c.rounding), true;
    if (c.to_type == SB_S16) return whole(static_cast<std::int16_t*>(c.dst), a, c.n, c.rounding), true;
  }
  if (from == SB_F32 && to_even && (c.to_type == SB_F16 || c.to_type == SB_BF16)) {
    const auto* a = static_cast<const float*>(c.src[0]);
    from_float(c.to_type, c.dst, a, c.n);
    auto* bits = static_cast<std::uint16_t*>(c.dst);
    const std::uint16_t infinite = c.to_type == SB_F16 ? 0x7c00 : 0x7f80;
    for (std::int64_t i = 0; i < c.n; ++i) bits[i] = static_cast<std::uint16_t>(bits[i] - ((bits[i] & 0x7fff) == infinite ? 1 : 0));  // saturation
    return true;
  }
  return false;
}

template <class T, class F>
void bits_of(std::uint8_t* to, const T* a, const T* b, T value, bool has_value, std::int64_t n, F f) {
  constexpr std::int64_t kGroup = 64;
  std::int64_t i = 0;
  for (; i + kGroup <= n; i += kGroup) {
    std::uint8_t flags[kGroup];
    if (has_value) {
      for (std::int64_t j = 0; j < kGroup; ++j) flags[j] = f(a[i + j], value) ? 1 : 0;
    } else {
      for (std::int64_t j = 0; j < kGroup; ++j) flags[j] = f(a[i + j], b[i + j]) ? 1 : 0;
    }
    for (std::int64_t j = 0; j < kGroup; j += 8) {
      // Eight bytes of 0 or 1 become eight bits: the product moves byte k to bit 56 + k.
      std::uint64_t word;
      std::memcpy(&word, flags + j, 8);
      to[(i + j) / 8] = static_cast<std::uint8_t>(word * 0x0102040810204080ULL >> 56);
    }
  }
  for (; i < n; i += 8) {
    unsigned byte = 0;
    for (std::int64_t j = 0; j < 8 && i + j < n; ++j) byte |= (f(a[i + j], has_value ? value : b[i + j]) ? 1U : 0U) << j;
    // Bits past the last element keep what they were.
    if (n - i < 8) byte |= to[i / 8] & ~((1U << (n - i)) - 1);
    to[i / 8] = static_cast<std::uint8_t>(byte);
  }
}

template <class T>
bool compare(int op, void* to, const T* a, const T* b, T value, bool has_value, std::int64_t n) {
  auto* out = static_cast<std::uint8_t*>(to);
  switch (op) {
    case SB_LT: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x < y; }); return true;
    case SB_GT: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x > y; }); return true;
    case SB_EQ: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x == y; }); return true;
    case SB_LE: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x <= y; }); return true;
    case SB_GE: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x >= y; }); return true;
    default: bits_of(out, a, b, value, has_value, n, [](T x, T y) { return x != y; }); return true;
  }
}

}  // namespace

bool apply_cast(const LoopCall& c) {
  if (fast(c)) return true;
  const int from = c.src_type[0];
  if (is_integer(from) && is_integer(c.to_type) && from != SB_S4 && c.to_type != SB_S4 && kTypeBytes[from] == 8) {
    // Long integers do not pass through double.
    for (std::int64_t i = 0; i < c.n; ++i) {
      const std::int64_t x = static_cast<const std::int64_t*>(c.src[0])[i];
      if (c.to_type == SB_S32) {
        static_cast<std::int32_t*>(c.dst)[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
      } else if (kTypeBytes[c.to_type] == 8) {
        static_cast<std::int64_t*>(c.dst)[i] = x;
      } else {
        return false;
      }
    }
    return true;
  }
  // In place, a wider result is written from its end.
  const bool backwards = kTypeBytes[c.to_type] > kTypeBytes[from];
  for (std::int64_t k = 0; k < c.n; ++k) {
    const std::int64_t i = backwards ? c.n - 1 - k : k;
    double x = read(from, c.src[0], i);
    if (from == c.to_type && is_floating(from))
      x = rounded(x, c.rounding);  // float to float: to a whole number
    write(c.to_type, c.dst, i, x, c.rounding);
  }
  return true;
}

bool apply_compare(const LoopCall& c) {
  auto run = [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, &c.value, sizeof value);
    return compare(c.op, c.dst, static_cast<const T*>(c.src[0]), static_cast<const T*>(c.src[1]), value, c.has_value, c.n);
  };
  switch (c.type) {
    case SB_F32: return run(0.0f);
    case SB_S32: return run(std::int32_t{0});
    case SB_U32: return run(std::uint32_t{0});
    case SB_S16: return run(std::int16_t{0});
    case SB_U16: return run(std::uint16_t{0});
    case SB_S64: return run(std::int64_t{0});
    case SB_F16:
    case SB_BF16: {
      constexpr std::int64_t kPart = 512;
      float a[kPart], b[kPart], value = 0;
      if (c.has_value) to_float(c.type, &value, &c.value, 1);
      for (std::int64_t at = 0; at < c.n; at += kPart) {
        const std::int64_t n = std::min(kPart, c.n - at);
        to_float(c.type, a, static_cast<const char*>(c.src[0]) + at * 2, n);
        if (!c.has_value) to_float(c.type, b, static_cast<const char*>(c.src[1]) + at * 2, n);
        compare(c.op, static_cast<char*>(c.dst) + at / 8, a, b, value, c.has_value, n);
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace starbridge::emulate::ascend::SB_LOOPS
