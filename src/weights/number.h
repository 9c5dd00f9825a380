// Numbers from one element type to another, rounded to nearest, ties to even, in one step. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weights/dtype.h"

namespace starbridge::weights {

struct ConversionCounts {
  std::uint64_t elements = 0;
  std::uint64_t overflow = 0;   // finite numbers beyond the largest of the new type (they become infinite, NaN, or for
                                // float8_e4m3fn the largest, as in torch); whole numbers that do not fit
  std::uint64_t underflow = 0;  // not zero, and zero afterwards
};

// Floats to floats, whole numbers to whole numbers or floats, complex to complex. Not: floats to whole numbers, to bool, packed,
// float8_e8m0fnu, quantised types.
bool can_convert(DType from, DType to);

// `out` holds as many elements of `to` as `in` of `from`. A whole number that does not fit is counted and becomes 0.
void convert_elements(DType from, std::span<const std::byte> in, DType to, std::span<std::byte> out, ConversionCounts& counts);

// One float, as the bits of `to` (a float type of at most 16 bits), from a double.
std::uint16_t encode_small_float(DType to, double value);

}  // namespace starbridge::weights
