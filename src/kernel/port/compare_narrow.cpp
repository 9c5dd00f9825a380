// Copies of 16-bit floats: read as pairs of 32-bit words, the half that lies low in a word would hardly be looked at.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel/port/compare.h"

namespace starbridge::kernel::port {

namespace {

constexpr std::size_t kCountMin = 64;  // fewer tell nothing

std::uint16_t half_at(std::string_view bytes, std::size_t i) {
  std::uint16_t word = 0;
  std::memcpy(&word, bytes.data() + i * 2, 2);
  return word;
}

double widen(std::uint16_t word, bool is_brain) {
  const int exponent_bits = is_brain ? 8 : 5, fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = word >> fraction_bits & ((1 << exponent_bits) - 1), fraction = word & ((1 << fraction_bits) - 1);
  const double sign = (word & 0x8000) != 0 ? -1 : 1, part = std::ldexp(fraction, -fraction_bits);
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias));
}

}  // namespace

// Of 32-bit floats the low half is as good as random: its exponents lie anywhere. Of 16-bit ones they lie together.
bool looks_narrow(std::string_view bytes, bool is_brain) {
  const std::size_t count = bytes.size() / 2;
  if (count < kCountMin || bytes.size() % 2 != 0) return false;
  std::size_t plausible = 0, filled = 0, low = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t word = half_at(bytes, i);
    if (i % 2 == 0) ++low, filled += (word & 0x7fff) != 0 ? 1 : 0;
    const double size = std::fabs(widen(word, is_brain));
    // Infinities and NaN are among the inputs that verify puts in.
    plausible += (word & 0x7fff) == 0 || !std::isfinite(size) || (is_brain ? size > 1e-9 && size < 1e6 : size > 1e-4 && size < 256) ? 1 : 0;
  }
  return plausible * 20 >= count * 19 && filled * 2 >= low;
}

bool compare_narrow(std::string_view a, std::string_view b, bool is_brain, std::uint64_t copy, double floor, Comparison& result) {
  const double limit = mere_limit(is_brain ? Precision::kBfloat : Precision::kHalf);
  const std::size_t count = a.size() / 2;
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::fabs(widen(half_at(a, i), is_brain));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double x = widen(half_at(a, i), is_brain), y = widen(half_at(b, i), is_brain);
    if (half_at(a, i) == half_at(b, i) || (std::isnan(x) && std::isnan(y))) continue;
    ++result.metrics.different;
    const double error = std::fabs(x - y), relative = error / (std::max(std::fabs(x), floor * largest) + 1e-7);
    sum += std::isfinite(relative) ? relative : 0;
    if (std::isfinite(x) && std::isfinite(y) && relative <= 10 * limit) {
      result.metrics.mare = std::max(result.metrics.mare, relative);
      continue;
    }
    const std::string place = std::to_string(copy + 1), at = std::to_string(i), was = std::to_string(x), is = std::to_string(y);
    result.reason = {"copy " + place + " to the host, 16-bit float " + at + ": " + was + " became " + is,
                     "第 " + place + " 次拷回主机的第 " + at + " 个 16 位浮点数：" + was + " 变为 " + is};
    return false;
  }
  result.metrics.words += count;
  if (sum / static_cast<double>(count) <= limit) return true;
  result.reason = {"the mean error of 16-bit floats is above the limit", "16 位浮点数的平均误差超过限值"};
  return false;
}

}  // namespace starbridge::kernel::port
