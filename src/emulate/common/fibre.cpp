#include "emulate/common/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace starbridge::emulate {

namespace {
constexpr int kGroup = 64;
constexpr int kGuardedMax = 12000;
}  // namespace

void FibrePool::grow() {
  const std::size_t bytes = kGroup * kStackBytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fputs("starbridge: no memory for the stacks of emulated threads\n", stderr);
    std::_Exit(70);
  }
  char* start = static_cast<char*>(memory);
  regions_.emplace_back(start, start + bytes);
  for (int i = kGroup - 1; i >= 0; --i) {
    char* low = start + static_cast<std::size_t>(i) * kStackBytes;
    // Each guard costs the system two mappings, of which a process has some 65,000.
    if (count_ < kGuardedMax) mprotect(low, kStackGuardBytes, PROT_NONE);
    auto* fibre = new Fibre;
    fibre->low = low + kStackGuardBytes;
    fibre->index = count_ + i;
    free_.push_back(fibre);
  }
  count_ += kGroup;
}

Fibre* FibrePool::take(void (*entry)()) {
  if (free_.empty()) grow();
  Fibre* fibre = free_.back();
  free_.pop_back();
  // Stacks that start at the same place of their pages would fight for the same lines of the cache: each starts elsewhere.
  const std::size_t colour = static_cast<std::size_t>(fibre->index % 31) * 128;
  char* top = fibre->low + kStackBytes - kStackGuardBytes - 64 - colour;
  auto* words = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--words = 0;                                       // the entry sees a stack as after a call
  *--words = reinterpret_cast<std::uint64_t>(entry);  // where the first switch returns to
  for (int i = 0; i < 6; ++i) *--words = 0;           // registers
  fibre->saved = words;
  return fibre;
}

bool FibrePool::is_guard(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  for (auto [start, end] : regions_) {
    if (byte >= start && byte < end) return static_cast<std::size_t>(byte - start) % kStackBytes < kStackGuardBytes;
  }
  return false;
}

bool FibrePool::is_stack(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  for (auto [start, end] : regions_) {
    if (byte >= start && byte < end) return true;
  }
  return false;
}

}  // namespace starbridge::emulate
