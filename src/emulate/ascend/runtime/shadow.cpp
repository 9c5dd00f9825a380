#include "emulate/ascend/runtime/shadow.h"

#include <cstring>

namespace starbridge::emulate::ascend {

void reserve_shadow() {
  constexpr const char* kWhat = "the shadow of the chip's memory";
  reserve_addresses(kPoisonStart, kWindowEnd - kWindow, kWhat);
  reserve_addresses(kLineStart, kGmBytes / 32 * sizeof(Line), kWhat);
  reserve_addresses(kHazardStart, (kWindowEnd - kCoreStart) / 32 * sizeof(Hazard), kWhat);
}

void set_poison(const void* start, std::size_t bytes, bool is_poisoned) {
  if (has_shadow(start)) std::memset(poison_of(start), is_poisoned ? 1 : 0, bytes);
}

void copy_poison(void* to, const void* from, std::size_t bytes) {
  if (!has_shadow(to)) return;
  if (has_shadow(from))
    std::memmove(poison_of(to), poison_of(from), bytes);
  else
    std::memset(poison_of(to), 0, bytes);
}

const char* first_poisoned(const void* start, std::size_t bytes) {
  if (!has_shadow(start)) return nullptr;
  const void* found = std::memchr(poison_of(start), 1, bytes);
  return found == nullptr ? nullptr
                          : static_cast<const char*>(start) + (static_cast<const unsigned char*>(found) - poison_of(start));
}

}  // namespace starbridge::emulate::ascend
