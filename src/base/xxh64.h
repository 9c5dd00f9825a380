// XXH64 (seed 0), the public 64-bit hash by Yann Collet, fed piece by piece: told apart from damage and drift, not from malice;
// for that there is SHA-256. Plain value; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace starbridge::base {

class Xxh64 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint64_t digest() const;
  // 16 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  std::uint64_t lanes_[4] = {0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0, 0x61c8864e7a143579};
  unsigned char rest_[32] = {};
  std::size_t rest_bytes_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace starbridge::base
