#include "emulate/ascend/runtime/shadow.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace starbridge::emulate::ascend {

namespace {

void reserve(std::uintptr_t start, std::uintptr_t bytes) {
  void* got = mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != reinterpret_cast<void*>(start)) {
    std::perror("starbridge: cannot reserve the shadow of the chip's memory");
    std::_Exit(70);
  }
}

}  // namespace

void reserve_shadow() {
  reserve(kPoisonStart, kWindowEnd - kWindow);
  reserve(kLineStart, kGmBytes / 32 * sizeof(Line));
  reserve(kHazardStart, (kWindowEnd - kCoreStart) / 32 * sizeof(Hazard));
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
