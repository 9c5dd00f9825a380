// Whole numbers from and to little-endian bytes, wherever they lie. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace starbridge::weights {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the readers take the machine's numbers for little-endian ones");

// The caller has checked that `bytes` holds them.
template <class T>
T load_le(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void append_le(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

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
