// What compiled code calls of the compiler's own library and libgcc 12 lacks: conversions to bfloat16. Round to nearest, ties to even.
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

// A bfloat16 travels where a half does.
_Float16 bits(std::uint32_t value) {
  const auto upper = static_cast<std::uint16_t>(value);
  _Float16 result;
  std::memcpy(&result, &upper, sizeof result);
  return result;
}

_Float16 to_bfloat16(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  if (std::isnan(value)) return bits(word >> 16 | 0x40);
  return bits((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

}  // namespace

extern "C" {
_Float16 __truncsfbf2(float value) { return to_bfloat16(value); }
// Through a float that keeps the discarded part odd: rounded once.
_Float16 __truncdfbf2(double value) {
  auto narrow = static_cast<float>(value);
  if (!std::isnan(value) && static_cast<double>(narrow) != value) {
    std::uint32_t word;
    std::memcpy(&word, &narrow, sizeof word);
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) --word;
    word |= 1;
    std::memcpy(&narrow, &word, sizeof word);
  }
  return to_bfloat16(narrow);
}
}
