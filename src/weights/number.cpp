#include "weights/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/check.h"
#include "weights/kernels.h"

namespace starbridge::weights {
namespace {

constexpr std::size_t kBlock = 4096;
__extension__ typedef __int128 Wide;  // holds every int64 and uint64

struct SmallFloat {
  int mantissa_bits;
  int bias;
  int width;
  std::uint16_t bits_max;  // the largest finite magnitude
  std::uint16_t
      infinity;  // what infinity and overflow become. As in torch: where there is none, NaN, or for e4m3fn the largest number
  std::uint16_t nan;
  bool is_fnuz;  // no negative zero; NaN has no sign
};

SmallFloat form_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {10, 15, 16, 0x7bff, 0x7c00, 0x7e00, false};
    case DType::kBf16:
      return {7, 127, 16, 0x7f7f, 0x7f80, 0x7fc0, false};
    case DType::kF8E4M3Fn:
      return {3, 7, 8, 0x7e, 0x7e, 0x7f, false};
    case DType::kF8E5M2:
      return {2, 15, 8, 0x7b, 0x7c, 0x7f, false};
    case DType::kF8E4M3Fnuz:
      return {3, 8, 8, 0x7f, 0x80, 0x80, true};
    case DType::kF8E5M2Fnuz:
      return {2, 16, 8, 0x7f, 0x80, 0x80, true};
    default:
      SB_CHECK(false);
  }
  return {};
}

// `overflow` is raised by one when a finite value is beyond the largest.
std::uint16_t encode(const SmallFloat& form, double value, std::uint64_t& overflow) {
  bool is_negative = std::signbit(value);
  auto sign = static_cast<std::uint16_t>(is_negative ? 1U << (form.width - 1) : 0U);
  if (std::isnan(value)) return form.is_fnuz ? form.nan : static_cast<std::uint16_t>(form.nan | sign);
  auto overflowed = form.is_fnuz ? form.nan : static_cast<std::uint16_t>(form.infinity | sign);
  if (std::isinf(value)) return overflowed;
  auto exponent = static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1023;
  // The step between neighbours near the value, and the value in such steps: exact, since it only moves the exponent.
  int field = std::max(exponent + form.bias, 1);
  int step = field - form.bias - form.mantissa_bits;
  double steps = std::fabs(value) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - step) << 52);
  auto rounded = static_cast<std::uint64_t>(std::nearbyint(steps));  // to even, in the default mode of the machine
  std::uint64_t bits = (static_cast<std::uint64_t>(field - 1) << form.mantissa_bits) + rounded;
  if (bits > form.bits_max) {
    ++overflow;
    return overflowed;
  }
  if (bits == 0 && form.is_fnuz) return 0;
  return static_cast<std::uint16_t>(bits | sign);
}

bool is_whole(DType dtype) { return info(dtype).kind == Kind::kInteger; }
bool is_quantised(DType dtype) { return dtype == DType::kQI8 || dtype == DType::kQU8 || dtype == DType::kQI32; }

// To double with the last bit set when something is cut off ("round to odd"): a second rounding then goes where one would have.
template <class Number>
double widened_to_odd(Number number) {
  auto value = static_cast<double>(number);
  bool is_exact = std::fabs(value) < 9.2e18 && static_cast<Number>(value) == number;
  if (is_exact || std::fabs(value) <= 9007199254740992.0) return value;
  auto bits = std::bit_cast<std::uint64_t>(value);
  // `value` is a neighbour of the number, on either side; step back towards zero, then mark that something is missing.
  auto size = static_cast<Wide>(number) < 0 ? -static_cast<Wide>(number) : static_cast<Wide>(number);
  if (static_cast<Wide>(std::fabs(value)) > size) --bits;
  return std::bit_cast<double>(bits | 1);
}

void widen_block(DType from, const std::byte* in, std::size_t count, bool is_last_step, double* out) {
  bool is_long = from == DType::kI64 || from == DType::kU64;
  if (!is_long || is_last_step) {
    kernels().widen[static_cast<std::size_t>(from)](in, count, out);
    return;
  }
  for (std::size_t index = 0; index < count; ++index) {
    std::uint64_t bits;
    std::memcpy(&bits, in + index * 8, 8);
    out[index] = from == DType::kI64 ? widened_to_odd(static_cast<std::int64_t>(bits)) : widened_to_odd(bits);
  }
}

void narrow_block(const double* in, std::size_t count, DType to, std::byte* out, ConversionCounts& counts) {
  if (to == DType::kF64) {
    std::memcpy(out, in, count * 8);
  } else if (to == DType::kF32) {
    for (std::size_t index = 0; index < count; ++index) {
      auto value = static_cast<float>(in[index]);
      counts.overflow += std::isinf(value) && !std::isinf(in[index]) ? 1 : 0;
      counts.underflow += value == 0 && in[index] != 0 ? 1 : 0;
      std::memcpy(out + index * 4, &value, 4);
    }
  } else {
    SmallFloat form = form_of(to);
    std::size_t width = item_bytes(to);
    auto magnitude = static_cast<std::uint16_t>((1U << (form.width - 1)) - 1);
    if (form.is_fnuz) magnitude = static_cast<std::uint16_t>(2 * magnitude + 1);  // 0x80 is NaN there
    for (std::size_t index = 0; index < count; ++index) {
      std::uint16_t bits = encode(form, in[index], counts.overflow);
      counts.underflow += (bits & magnitude) == 0 && in[index] != 0 ? 1 : 0;
      std::memcpy(out + index * width, &bits, width);
    }
  }
}

struct WholeRange {
  Wide least;
  Wide most;
};

WholeRange range_of(DType dtype) {
  int bits = info(dtype).bits;
  bool is_signed = dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 || dtype == DType::kI64;
  Wide one = 1;
  return is_signed ? WholeRange{-(one << (bits - 1)), (one << (bits - 1)) - 1} : WholeRange{0, (one << bits) - 1};
}

void convert_whole(DType from, const std::byte* in, std::size_t count, DType to, std::byte* out, ConversionCounts& counts) {
  std::size_t from_width = item_bytes(from), to_width = item_bytes(to);
  bool is_signed = range_of(from).least < 0;
  WholeRange range = range_of(to);
  for (std::size_t index = 0; index < count; ++index) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, in + index * from_width, from_width);
    int unused = 64 - static_cast<int>(from_width) * 8;
    Wide value = is_signed ? static_cast<Wide>(static_cast<std::int64_t>(raw << unused) >> unused) : static_cast<Wide>(raw);
    bool fits = value >= range.least && value <= range.most;
    counts.overflow += fits ? 0 : 1;
    auto kept = fits ? static_cast<std::uint64_t>(value) : 0;
    std::memcpy(out + index * to_width, &kept, to_width);
  }
}

}  // namespace

bool can_convert(DType from, DType to) {
  const DTypeInfo &source = info(from), &target = info(to);
  if (is_quantised(from) || is_quantised(to)) return from == to;
  if (source.kind == Kind::kPacked || target.kind == Kind::kPacked || to == DType::kBool || to == DType::kF8E8M0Fnu)
    return from == to;
  if (source.kind == Kind::kComplex || target.kind == Kind::kComplex) return source.kind == target.kind;
  return target.kind == Kind::kFloat || source.kind == Kind::kInteger;
}

std::uint16_t encode_small_float(DType to, double value) {
  std::uint64_t overflow = 0;
  return encode(form_of(to), value, overflow);
}

void convert_elements(DType from, std::span<const std::byte> in, DType to, std::span<std::byte> out, ConversionCounts& counts) {
  SB_CHECK(can_convert(from, to));
  counts.elements += in.size() / item_bytes(from);
  from = info(from).component;
  to = info(to).component;
  std::size_t count = in.size() / item_bytes(from), from_width = item_bytes(from), to_width = item_bytes(to);
  SB_CHECK(out.size() == count * to_width);
  if (from == to) {
    if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
    return;
  }
  if (is_whole(from) && is_whole(to)) return convert_whole(from, in.data(), count, to, out.data(), counts);
  std::array<double, kBlock> wide;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    std::size_t block = std::min(kBlock, count - begin);
    widen_block(from, in.data() + begin * from_width, block, to == DType::kF64, wide.data());
    narrow_block(wide.data(), block, to, out.data() + begin * to_width, counts);
  }
}

}  // namespace starbridge::weights
