// Memories of the chip in one reserved range of addresses, so that an address tells its space. Any thread.
//   GDRAM              allocations of the host
//   per core           NRAM, WRAM, LDRAM
//   per cluster        SRAM
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/common/chip_heap.h"

namespace starbridge::emulate::bang {

enum class Space : unsigned { kNram, kWram, kSram, kLdram, kGdram, kHost };  // the first four in step with pass/memory_spaces.cpp

constexpr std::uintptr_t kWindow = 0x100000000000ULL;
constexpr std::uintptr_t kGdramBytes = 16ULL << 30;
constexpr std::uintptr_t kCoreStart = kWindow + kGdramBytes;
constexpr std::uintptr_t kCoreBytes = 32ULL << 20;  // NRAM, WRAM at 8 MiB, LDRAM at 16 MiB
constexpr std::uintptr_t kWramOffset = 8ULL << 20;
constexpr std::uintptr_t kLdramOffset = 16ULL << 20;
constexpr std::uintptr_t kCoresMax = 256;
constexpr std::uintptr_t kSramStart = kCoreStart + kCoresMax * kCoreBytes;
constexpr std::uintptr_t kSramBytes = 16ULL << 20;
constexpr std::uintptr_t kClustersMax = 64;
constexpr std::uintptr_t kWindowEnd = kSramStart + kClustersMax * kSramBytes;

inline Space space_of(const void* address) {
  auto value = reinterpret_cast<std::uintptr_t>(address);
  if (value < kWindow || value >= kWindowEnd) return Space::kHost;
  if (value < kCoreStart) return Space::kGdram;
  if (value >= kSramStart) return Space::kSram;
  const std::uintptr_t offset = (value - kCoreStart) % kCoreBytes;
  return offset < kWramOffset ? Space::kNram : offset < kLdramOffset ? Space::kWram : Space::kLdram;
}
const char* name_of(Space space);

// The start of a space for core `core` (or, SRAM, cluster `core`).
char* start_of(Space space, int core);

void reserve_memory();
void* allocate(std::size_t bytes, const void* place);

}  // namespace starbridge::emulate::bang
