// Conversions between element types, with the chip's seven ways to round and its fixed-point positions. Whole numbers that do not
// fit saturate; NaN becomes zero.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulate/common/half.h"
#include "emulate/bang/loops/loops.h"
#include "emulate/bang/loops/tables.h"

namespace starbridge::emulate::bang::SB_LOOPS {

using namespace emulate::SB_LOOPS;

namespace {

double round_whole(double value, int rounding) {
  switch (rounding) {
    case SB_TZ: return std::trunc(value);
    case SB_OZ: return value < 0 ? std::floor(value) : std::ceil(value);
    case SB_UP: return std::ceil(value);
    case SB_DN: return std::floor(value);
    case SB_RD: return std::round(value);
    case SB_RM: return std::floor(value + 0.5);
    default: return std::nearbyint(value);  // the machine's own mode: nearest even
  }
}

// `value` rounded to `digits` binary digits of mantissa, the smallest exponent being `exponent_min`; above `largest` to what the mode
// asks for.
double round_digits(double value, int digits, int exponent_min, double largest, int rounding) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), exponent_min) - digits + 1;
  const double rounded = std::ldexp(round_whole(std::ldexp(value, -exponent), rounding), exponent);
  if (std::fabs(rounded) <= largest) return rounded;
  const bool is_toward_zero = rounding == SB_TZ || (rounding == SB_UP && value < 0) || (rounding == SB_DN && value > 0);
  return std::copysign(is_toward_zero ? largest : std::numeric_limits<double>::infinity(), value);
}

template <class T>
double real_of(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(to_float(value));
}

template <class T>
T from_real(double value, int rounding) {
  if constexpr (std::is_same_v<T, float>) {
    if (rounding == SB_RN) return static_cast<float>(value);
    return static_cast<float>(round_digits(value, 24, -126, std::numeric_limits<float>::max(), rounding));
  } else if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(round_digits(value, 11, -14, 65504.0, rounding)));
  } else if constexpr (std::is_same_v<T, Brain>) {
    return to_brain(static_cast<float>(round_digits(value, 8, -126, 0x1.fep127, rounding)));
  } else {
    if (std::isnan(value)) return T(0);
    const double whole = round_whole(value, rounding);
    if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(whole);
  }
}

template <class From, class To>
void run(void* to, const void* from, std::int64_t n, int rounding, int from_position, int to_position) {
  auto* d = static_cast<To*>(to);
  const auto* x = static_cast<const From*>(from);
  const double scale = std::ldexp(1.0, from_position - to_position);
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    if (scale == 1.0) {
      for (std::int64_t i = 0; i < n; ++i)
        d[i] = static_cast<To>(std::clamp<std::int64_t>(static_cast<std::int64_t>(x[i]), static_cast<std::int64_t>(std::numeric_limits<To>::min()),
                                                        sizeof(To) == 8 ? std::numeric_limits<std::int64_t>::max()
                                                                        : static_cast<std::int64_t>(std::numeric_limits<To>::max())));
      return;
    }
  }
  // A narrower result may lie where its source lies: front to back is safe. A wider one may not.
  for (std::int64_t i = 0; i < n; ++i) d[i] = from_real<To>(real_of(x[i]) * scale, rounding);
}

template <class From>
bool run_from(int to_type, void* to, const void* from, std::int64_t n, int rounding, int from_position, int to_position) {
  switch (to_type) {
    case SB_F32: run<From, float>(to, from, n, rounding, from_position, to_position); return true;
    case SB_F16: run<From, Half>(to, from, n, rounding, from_position, to_position); return true;
    case SB_BF16: run<From, Brain>(to, from, n, rounding, from_position, to_position); return true;
    case SB_S32: run<From, std::int32_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_U32: run<From, std::uint32_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_S16: run<From, std::int16_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_U16: run<From, std::uint16_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_S8: run<From, std::int8_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_U8: run<From, std::uint8_t>(to, from, n, rounding, from_position, to_position); return true;
    case SB_S64: run<From, std::int64_t>(to, from, n, rounding, from_position, to_position); return true;
    default: return false;
  }
}

// The common ones, as fast as the machine converts.
bool run_fast(int from_type, int to_type, int rounding, void* to, const void* from, std::int64_t n) {
  if (from_type == SB_F16 && to_type == SB_F32) {
    to_floats(static_cast<float*>(to), static_cast<const Half*>(from), n);
  } else if (from_type == SB_BF16 && to_type == SB_F32) {
    to_floats(static_cast<float*>(to), static_cast<const Brain*>(from), n);
  } else if (from_type == SB_F32 && to_type == SB_F16 && rounding == SB_RN) {
    from_floats(static_cast<Half*>(to), static_cast<const float*>(from), n);
  } else if (from_type == SB_F32 && to_type == SB_BF16 && rounding == SB_RN) {
    from_floats(static_cast<Brain*>(to), static_cast<const float*>(from), n);
  } else if (from_type == SB_F32 && to_type == SB_S32) {
    auto* d = static_cast<std::int32_t*>(to);
    const auto* x = static_cast<const float*>(from);
    for (std::int64_t i = 0; i < n; ++i) {
      const float whole = rounding == SB_TZ   ? std::trunc(x[i])
                          : rounding == SB_DN ? std::floor(x[i])
                          : rounding == SB_UP ? std::ceil(x[i])
                          : rounding == SB_RN ? std::nearbyint(x[i])
                                              : static_cast<float>(round_whole(x[i], rounding));
      d[i] = whole >= 2147483648.0f    ? 2147483647
             : whole >= -2147483648.0f ? static_cast<std::int32_t>(whole)
             : whole == whole          ? std::numeric_limits<std::int32_t>::min()
                                       : 0;
    }
  } else if (from_type == SB_S32 && to_type == SB_F32 && rounding == SB_RN) {
    auto* d = static_cast<float*>(to);
    const auto* x = static_cast<const std::int32_t*>(from);
    for (std::int64_t i = 0; i < n; ++i) d[i] = static_cast<float>(x[i]);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool convert(int from_type, int to_type, int rounding, void* to, const void* from, std::int64_t n, int from_position, int to_position) {
  if (from_position == to_position && run_fast(from_type, to_type, rounding, to, from, n)) return true;
  switch (from_type) {
    case SB_F32: return run_from<float>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_F16: return run_from<Half>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_BF16: return run_from<Brain>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_S32: return run_from<std::int32_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_U32: return run_from<std::uint32_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_S16: return run_from<std::int16_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_U16: return run_from<std::uint16_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_S8: return run_from<std::int8_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_U8: return run_from<std::uint8_t>(to_type, to, from, n, rounding, from_position, to_position);
    case SB_S64: return run_from<std::int64_t>(to_type, to, from, n, rounding, from_position, to_position);
    default: return false;
  }
}

}  // namespace starbridge::emulate::bang::SB_LOOPS
