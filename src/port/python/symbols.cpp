#include "port/python/symbols.h"

#include <cstring>

namespace starbridge::port::python {
namespace {

constexpr std::size_t kFirstSlots = 1024;

// Every byte counts: generated code has long names that differ only in the middle.
std::uint32_t hash_of(std::string_view name) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t size = name.size();
  if (size >= 8) {
    std::memcpy(&first, name.data(), 8);
    std::memcpy(&last, name.data() + size - 8, 8);
  } else if (size >= 4) {
    std::uint32_t half = 0;
    std::memcpy(&half, name.data(), 4);
    first = half;
    std::memcpy(&half, name.data() + size - 4, 4);
    last = half;
  } else if (size > 0) {
    first = static_cast<unsigned char>(name[0]);
    last =
        static_cast<std::uint64_t>(static_cast<unsigned char>(name[size / 2])) << 8 | static_cast<unsigned char>(name[size - 1]);
  }
  for (std::size_t at = 8; at + 8 < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + at, 8);
    first = (first ^ (first >> 31) ^ word) * 0x94D049BB133111EBULL;
  }
  std::uint64_t mixed = (first ^ (last << 23 | last >> 41) ^ size) * 0x9E3779B97F4A7C15ULL;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace

Symbols::Symbols() {
  // Every file begins with the keywords; the table that holds them is made once and copied.
  static const Symbols with_keywords = [] {
    Symbols made(kFirstSlots);
    for (std::string_view keyword : kKeywords) made.intern(keyword);
    return made;
  }();
  *this = with_keywords;
}

Symbol Symbols::intern(std::string_view name) {
  std::uint32_t hash = hash_of(name);
  std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.symbol == kNoSymbol) {
      auto symbol = static_cast<Symbol>(texts_.size());
      slot = {hash, symbol};
      texts_.push_back(name);
      if (texts_.size() * 2 > slots_.size()) grow();
      return symbol;
    }
    if (slot.hash == hash && texts_[slot.symbol] == name) return slot.symbol;
  }
}

Symbol Symbols::find(std::string_view name) const {
  std::uint32_t hash = hash_of(name);
  std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.symbol == kNoSymbol) return kNoSymbol;
    if (slot.hash == hash && texts_[slot.symbol] == name) return slot.symbol;
  }
}

void Symbols::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.size() * 2, {});
  std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.symbol == kNoSymbol) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].symbol != kNoSymbol) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace starbridge::port::python
