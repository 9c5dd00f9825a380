#include "base/xxh64.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.h"

namespace starbridge::base {
namespace {

// Constants and steps: "XXH64 algorithm description", https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5;
constexpr std::size_t kStripeBytes = 32;

std::uint64_t round_of(std::uint64_t lane, std::uint64_t value) { return std::rotl(lane + value * kPrime2, 31) * kPrime1; }

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round_of(0, lane)) * kPrime1 + kPrime4; }

}  // namespace

void Xxh64::add(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (rest_bytes_ > 0 || bytes.size() < kStripeBytes) {
    std::size_t piece = std::min(bytes.size(), kStripeBytes - rest_bytes_);
    if (piece > 0) std::memcpy(rest_ + rest_bytes_, bytes.data(), piece);
    rest_bytes_ += piece;
    bytes = bytes.subspan(piece);
    if (rest_bytes_ < kStripeBytes) return;
    for (std::size_t lane = 0; lane < 4; ++lane) {
      lanes_[lane] = round_of(lanes_[lane], load_le<std::uint64_t>(reinterpret_cast<const char*>(rest_) + lane * 8));
    }
    rest_bytes_ = 0;
  }
  std::uint64_t a = lanes_[0], b = lanes_[1], c = lanes_[2], d = lanes_[3];
  const char* at = reinterpret_cast<const char*>(bytes.data());
  const char* end = at + bytes.size() / kStripeBytes * kStripeBytes;
  for (; at != end; at += kStripeBytes) {
    a = round_of(a, load_le<std::uint64_t>(at));
    b = round_of(b, load_le<std::uint64_t>(at + 8));
    c = round_of(c, load_le<std::uint64_t>(at + 16));
    d = round_of(d, load_le<std::uint64_t>(at + 24));
  }
  lanes_[0] = a;
  lanes_[1] = b;
  lanes_[2] = c;
  lanes_[3] = d;
  rest_bytes_ = bytes.size() % kStripeBytes;
  if (rest_bytes_ > 0) std::memcpy(rest_, at, rest_bytes_);
}

std::uint64_t Xxh64::digest() const {
  std::uint64_t hash = kPrime5;
  if (total_ >= kStripeBytes) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (std::uint64_t lane : lanes_) hash = merge(hash, lane);
  }
  hash += total_;
  const char* at = reinterpret_cast<const char*>(rest_);
  std::size_t left = rest_bytes_;
  for (; left >= 8; left -= 8, at += 8) hash = std::rotl(hash ^ round_of(0, load_le<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  for (; left >= 4; left -= 4, at += 4) hash = std::rotl(hash ^ (load_le<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
  for (; left > 0; --left, ++at) hash = std::rotl(hash ^ (static_cast<unsigned char>(*at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::string Xxh64::hex() const { return fmt::format("{:016x}", digest()); }

}  // namespace starbridge::base
