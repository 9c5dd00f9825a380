// Half and bfloat16 as bits: conversions to and from float, to nearest even. Part of the loops, compiled once per
// level of the machine (namespace SB_LOOPS).
#pragma once

#include <cstdint>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace starbridge::emulate::SB_LOOPS {

struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float to_float(Half half) {
#if defined(__F16C__)
  return _cvtsh_ss(half.bits);
#else
  const std::uint32_t sign = (half.bits & 0x8000U) << 16, exponent = half.bits >> 10 & 0x1f, mantissa = half.bits & 0x3ffU;
  if (exponent == 0x1f) return float_of(sign | 0x7f800000U | mantissa << 13);
  if (exponent == 0) return float_of(sign) + (sign != 0 ? -1.0f : 1.0f) * static_cast<float>(mantissa) * 0x1p-24f;
  return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
#endif
}
inline Half to_half(float value) {
#if defined(__F16C__)
  return {static_cast<std::uint16_t>(_cvtss_sh(value, 0))};
#else
  const std::uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13 & 0x3ffU))};
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  if (magnitude < 0x38800000U) {
    // Below the normal halves: adding 0.5 puts the rounding where the mantissa ends.
    return {static_cast<std::uint16_t>(sign | (bits_of(float_of(magnitude) + 0.5f) - 0x3f000000U))};
  }
  return {static_cast<std::uint16_t>(sign | (magnitude + 0xc8000fffU + (magnitude >> 13 & 1)) >> 13)};
#endif
}
inline float to_float(Brain brain) { return float_of(static_cast<std::uint32_t>(brain.bits) << 16); }
inline Brain to_brain(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>(bits >> 16 | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16)};
}

inline void to_floats(float* to, const Half* from, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
#endif
  for (; i < n; ++i) to[i] = to_float(from[i]);
}
inline void to_floats(float* to, const Brain* from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to_float(from[i]);
}
inline void from_floats(Half* to, const float* from, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#endif
  for (; i < n; ++i) to[i] = to_half(from[i]);
}
inline void from_floats(Brain* to, const float* from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to_brain(from[i]);
}

}  // namespace starbridge::emulate::SB_LOOPS
