// What the programs about conversions share: a real number rounded to a type in each of the chip's modes, in double.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

constexpr int kModes[] = {SB_TZ, SB_TZ, SB_OZ, SB_UP, SB_DN, SB_RD, SB_RM, SB_RN};  // of a name without and with each ending

inline double whole(double value, int mode) {
  if (std::isinf(value)) return value;
  const double low = std::floor(value), high = std::ceil(value), toward = value < 0 ? high : low;
  const double near = value - low < 0.5 ? low : high;
  switch (mode) {
    case SB_TZ: return toward;
    case SB_OZ: return value < 0 ? low : high;
    case SB_UP: return high;
    case SB_DN: return low;
    case SB_RD: return value - low == 0.5 ? (value < 0 ? low : high) : near;
    case SB_RM: return near;
    default: return value - low == 0.5 ? (std::fmod(low, 2) == 0 ? low : high) : near;
  }
}

// The neighbours of a real number among floating numbers of `digits` binary digits whose smallest step is 2^least.
inline double rounded(double value, int digits, int least, double largest, int mode) {
  if (value == 0 || std::isinf(value) || std::isnan(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - digits, least));
  const double result = whole(value / unit, mode) * unit;
  if (std::fabs(result) <= largest) return result;
  const bool stops = mode == SB_TZ || (mode == SB_UP && value < 0) || (mode == SB_DN && value > 0);
  return std::copysign(stops ? largest : HUGE_VAL, value);
}

template <class T>
T rounded_to(double value, int mode) {
  if constexpr (std::is_same_v<T, half>) return static_cast<T>(static_cast<float>(rounded(value, 11, -24, 65504, mode)));
  if constexpr (std::is_same_v<T, bfloat16_t>)
    return case_element<T>(rounded(value, 8, -133, std::ldexp(255.0, 120), mode));
  if constexpr (std::is_same_v<T, float>) return static_cast<T>(rounded(value, 24, -149, std::numeric_limits<float>::max(), mode));
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::fmin(std::fmax(whole(value, mode), static_cast<double>(std::numeric_limits<T>::min())),
                                    static_cast<double>(std::numeric_limits<T>::max())));
}

template <class T>
double real(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}
