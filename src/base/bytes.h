// Whole numbers from and to little-endian bytes, wherever they lie. Pure; any thread.
#pragma once

#include <cstring>
#include <string>

namespace starbridge::base {

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

}  // namespace starbridge::base
