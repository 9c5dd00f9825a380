// Memories of the chip in one reserved range of addresses, so that an address tells where it lies. Any thread.
//   GM         allocations of the host
//   per core   unified buffer, L1, L0A, L0B, L0C, bias table, fixpipe buffer
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/common/chip_heap.h"

namespace starbridge::emulate::ascend {

enum class Memory : unsigned { kUb, kL1, kL0a, kL0b, kL0c, kBias, kFix, kGm, kHost };
constexpr unsigned kOwnMemories = 7;

constexpr std::uintptr_t kWindow = 0x100000000000ULL;
constexpr std::uintptr_t kGmBytes = 24ULL << 30;
constexpr std::uintptr_t kCoreStart = kWindow + kGmBytes;
constexpr std::uintptr_t kCoreBytes = 4ULL << 20;
constexpr std::uintptr_t kCoresMax = 256;
constexpr std::uintptr_t kWindowEnd = kCoreStart + kCoresMax * kCoreBytes;
constexpr std::uintptr_t kOffsets[kOwnMemories + 1] = {0,
                                                       1U << 20,
                                                       3U << 20,
                                                       (3U << 20) + (1U << 18),
                                                       (3U << 20) + (2U << 18),
                                                       (3U << 20) + (3U << 18),
                                                       (3U << 20) + (3U << 18) + (1U << 16),
                                                       4U << 20};

inline bool is_on_core(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= kCoreStart && value < kWindowEnd;
}
inline Memory memory_of(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  if (value < kWindow || value >= kWindowEnd) return Memory::kHost;
  if (value < kCoreStart) return Memory::kGm;
  const std::uintptr_t offset = (value - kCoreStart) % kCoreBytes;
  unsigned memory = 0;
  while (offset >= kOffsets[memory + 1]) ++memory;
  return static_cast<Memory>(memory);
}
const char* name_of(Memory memory);
// Where a memory of core `core` starts, and how large the chip has it.
inline char* start_of(Memory memory, int core) {
  return reinterpret_cast<char*>(kCoreStart + static_cast<std::uintptr_t>(core) * kCoreBytes +
                                 kOffsets[static_cast<unsigned>(memory)]);
}
std::size_t size_of(Memory memory);
// By a TPosition's number.
Memory memory_of_position(int position);

void reserve_memory();
void* allocate(std::size_t bytes, const void* place);

}  // namespace starbridge::emulate::ascend
