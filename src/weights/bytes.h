// Bytes of numbers as the readers of checkpoints need them. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace starbridge::weights {

using base::append_le;
using base::load_le;

// Turns `bytes` of numbers of `width` bytes into the other byte order.
inline void swap_bytes(char* bytes, std::size_t size, std::size_t width) {
  for (std::size_t at = 0; at + width <= size; at += width) std::reverse(bytes + at, bytes + at + width);
}

// False when the product or sum does not fit.
inline bool multiply(std::uint64_t left, std::uint64_t right, std::uint64_t& product) {
  return !__builtin_mul_overflow(left, right, &product);
}
inline bool add(std::uint64_t left, std::uint64_t right, std::uint64_t& sum) {
  return !__builtin_add_overflow(left, right, &sum);
}

}  // namespace starbridge::weights
