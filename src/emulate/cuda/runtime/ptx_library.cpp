// What inline PTX calls beside barriers and shuffles: bit fields, byte products, matrix products of a warp.
#include <bit>
#include <cstdint>
#include <cstring>

#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/launch.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

namespace {

// Where element (row, column) of an operand lies: which lane, which of its elements (PTX ISA, "matrix fragments for mma").
struct Place {
  unsigned lane, element;
};

// A is m x k, row by row; `per_word` elements share a register of 32 bits.
Place place_in_a(unsigned row, unsigned column, unsigned per_word) {
  const unsigned part = column / (4 * per_word);
  const unsigned within = column % (4 * per_word);
  return {(row % 8) * 4 + within / per_word, (part * 2 + row / 8) * per_word + within % per_word};
}
// B is k x n, column by column.
Place place_in_b(unsigned row, unsigned column, unsigned per_word) {
  const unsigned part = row / (4 * per_word);
  const unsigned within = row % (4 * per_word);
  return {column * 4 + within / per_word, part * per_word + within % per_word};
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
  if (exponent == 0) {
    const float small = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -small : small;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

// To nearest, ties to even.
std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (rest >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (rest < 0x38800000) {
    const float scaled = std::bit_cast<float>(rest) * 0x1p24F;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(__builtin_rintf(scaled)));
  }
  const std::uint32_t even = rest + 0xfff + (rest >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((even >> 13) - (112U << 10)));
}

enum Kind : std::uint32_t { kF16 = 1, kBf16, kTf32, kS8, kU8, kF64, kF32, kS32 };

unsigned elements_per_word(std::uint32_t kind) { return kind <= kBf16 ? 2 : kind == kS8 || kind == kU8 ? 4 : 1; }

double element_of(const void* registers, std::uint32_t kind, unsigned element) {
  const auto* bytes = static_cast<const unsigned char*>(registers);
  std::uint16_t half = 0;
  std::uint32_t word = 0;
  double number = 0;
  switch (kind) {
    case kF16:
      std::memcpy(&half, bytes + 2 * element, 2);
      return half_to_float(half);
    case kBf16:
      std::memcpy(&half, bytes + 2 * element, 2);
      return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
    case kTf32:  // the unit reads the upper 19 bits
      std::memcpy(&word, bytes + 4 * element, 4);
      return std::bit_cast<float>(word & 0xffffe000U);
    case kS8:
      return static_cast<signed char>(bytes[element]);
    case kU8:
      return bytes[element];
    case kF64:
      std::memcpy(&number, bytes + 8 * element, 8);
      return number;
    case kF32:
      std::memcpy(&word, bytes + 4 * element, 4);
      return std::bit_cast<float>(word);
    default:
      std::memcpy(&word, bytes + 4 * element, 4);
      return static_cast<std::int32_t>(word);
  }
}

}  // namespace

extern "C" {

// The generic address of an offset into the window of the worker's shared memory, which is 4 GiB wide and aligned to that.
void* __sb_shared_pointer(std::uint32_t offset) {
  const auto base = reinterpret_cast<std::uintptr_t>(__sb_shared) & ~std::uintptr_t{0xffffffff};
  return reinterpret_cast<void*>(base | offset);
}

std::uint32_t __sb_multiprocessors() { return static_cast<std::uint32_t>(card_properties().multiProcessorCount); }
std::uint32_t __sb_block_threads() { return this_worker().block->thread_count; }

std::uint64_t __sb_bit_field(std::uint64_t value, std::uint32_t start, std::uint32_t length, std::uint32_t bits,
                             std::uint32_t is_signed) {
  start &= 255;
  length &= 255;
  const std::uint64_t top = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  value &= top;
  const bool sign = is_signed != 0 && length > 0 && (value >> std::min(start + length - 1, bits - 1) & 1) != 0;
  std::uint64_t field = start >= bits ? 0 : value >> start;
  if (length < 64) field &= (std::uint64_t{1} << length) - 1;
  if (sign && length < 64) field |= ~std::uint64_t{0} << std::min(length, start >= bits ? 0U : bits - start);
  return field & top;
}

std::uint64_t __sb_bit_insert(std::uint64_t field, std::uint64_t into, std::uint32_t start, std::uint32_t length,
                              std::uint32_t bits) {
  start &= 255;
  length &= 255;
  if (start >= bits || length == 0) return into;
  const std::uint64_t mask = (length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1) << start;
  return (into & ~mask) | (field << start & mask);
}

std::uint32_t __sb_find_bit(std::uint64_t value, std::uint32_t bits, std::uint32_t is_signed, std::uint32_t as_shift) {
  if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
  if (is_signed != 0 && (value >> (bits - 1) & 1) != 0)
    value = ~value & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
  if (value == 0) return ~0U;
  const auto found = static_cast<std::uint32_t>(63 - std::countl_zero(value));
  return as_shift != 0 ? bits - 1 - found : found;
}

std::uint32_t __sb_byte_perm(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t choice = selector >> 4 * i & 15;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> 8 * (choice & 7)) & 255;
    if ((choice & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// parts 4: bytes by bytes; 2 and 3: the low or high two bytes of b by the halves of a.
std::uint32_t __sb_dot_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum, std::uint32_t a_signed, std::uint32_t b_signed,
                             std::uint32_t parts) {
  auto byte = [](std::uint32_t word, unsigned i, bool is_signed) {
    return is_signed ? static_cast<std::int32_t>(static_cast<signed char>(word >> 8 * i))
                     : static_cast<std::int32_t>(word >> 8 * i & 255);
  };
  for (unsigned i = 0; i < (parts == 4 ? 4U : 2U); ++i) {
    std::int32_t left = parts == 4      ? byte(a, i, a_signed != 0)
                        : a_signed != 0 ? static_cast<std::int16_t>(a >> 16 * i)
                                        : static_cast<std::int32_t>(a >> 16 * i & 0xffff);
    sum += static_cast<std::uint32_t>(left * byte(b, parts == 3 ? i + 2 : i, b_signed != 0));
  }
  return sum;
}

// Which lane a PTX shuffle reads; bit 8: the source is in range.
std::uint32_t __sb_shuffle_source(std::uint32_t mode, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t lane = this_worker().block->current % kWarpSize, segment = c >> 8 & 31, clamp = c & 31;
  const std::uint32_t first = lane & segment, last = first | (clamp & ~segment);
  b &= 31;
  std::int64_t source = lane;
  bool is_there = true;
  if (mode == 0) source = first | (b & ~segment), is_there = source <= last;
  if (mode == 1) source = std::int64_t{lane} - b, is_there = source >= std::int64_t{last};
  if (mode == 2) source = lane + b, is_there = source <= last;
  if (mode == 3) source = lane ^ b, is_there = source <= last;
  return is_there ? static_cast<std::uint32_t>(source) | 256 : lane;
}

std::uint32_t __sb_fold(std::uint32_t mask, const std::uint64_t* values, std::uint32_t kind, std::uint32_t is_signed) {
  bool any = false;
  std::uint32_t sum = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto value = static_cast<std::uint32_t>(values[lane]);
    const bool is_less = is_signed != 0 ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(sum) : value < sum;
    if (!any)
      sum = value;
    else if (kind == 0)
      sum += value;
    else if (kind == 1)
      sum = is_less ? value : sum;
    else if (kind == 2)
      sum = is_less ? sum : value;
    else if (kind == 3)
      sum &= value;
    else if (kind == 4)
      sum |= value;
    else
      sum ^= value;
    any = true;
  }
  return sum;
}

// The calling lane's part of D = A * B + C. Products and sums are exact in double and rounded once; the card's order is not
// stated.
void __sb_mma(const std::uint64_t* lanes, std::uint32_t shape, std::uint32_t kinds, std::uint32_t* result) {
  const std::uint32_t depth = shape >> 16;
  const std::uint32_t kind_d = kinds & 255, kind_a = kinds >> 8 & 255, kind_b = kinds >> 16 & 255, kind_c = kinds >> 24;
  const unsigned lane = this_worker().block->current % kWarpSize, per_a = elements_per_word(kind_a),
                 per_b = elements_per_word(kind_b);
  const auto* own = reinterpret_cast<const std::uint32_t*>(lanes[lane]);
  const unsigned count = (shape & 255) == 8 ? 2 : 4;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    double sum = element_of(own + 16, kind_c, i);
    const bool is_whole = kind_d == kS32;
    std::int64_t whole = is_whole ? static_cast<std::int64_t>(sum) : 0;
    for (unsigned k = 0; k < depth; ++k) {
      const Place a = place_in_a(row, k, per_a), b = place_in_b(k, column, per_b);
      const unsigned a_element = (shape & 255) == 8 ? 0 : a.element;
      const double left = element_of(reinterpret_cast<const std::uint32_t*>(lanes[a.lane]), kind_a, a_element);
      const double right = element_of(reinterpret_cast<const std::uint32_t*>(lanes[b.lane]) + 8, kind_b, b.element);
      sum += left * right;
      if (is_whole) whole += static_cast<std::int64_t>(left) * static_cast<std::int64_t>(right);
    }
    if (kind_d == kF64) {
      std::memcpy(result + 2 * i, &sum, 8);
    } else if (kind_d == kF16) {
      const std::uint16_t half = float_to_half(static_cast<float>(sum));
      std::memcpy(reinterpret_cast<char*>(result) + 2 * i, &half, 2);
    } else if (kind_d == kS32) {
      result[i] = static_cast<std::uint32_t>(whole);
    } else {
      result[i] = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
    }
  }
}
}
