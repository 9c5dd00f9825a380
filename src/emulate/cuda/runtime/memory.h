// Memory of the card and memory both sides see, in one reserved range of addresses, so that an address tells its space.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "driver_types.h"

namespace starbridge::emulate::cuda {

enum class Space { kHost, kDevice, kManaged, kPinned, kShared };

constexpr std::uintptr_t kWindow = 0x100000000000ULL;  // start of the reserved range
constexpr std::uintptr_t kArenaBytes = 64ULL << 30;    // each of device, managed, pinned, shared
constexpr std::uintptr_t kDeviceStart = kWindow;
constexpr std::uintptr_t kManagedStart = kWindow + kArenaBytes;
constexpr std::uintptr_t kPinnedStart = kWindow + 2 * kArenaBytes;
constexpr std::uintptr_t kSharedStart = kWindow + 3 * kArenaBytes;
constexpr std::uintptr_t kWindowEnd = kWindow + 4 * kArenaBytes;
constexpr std::size_t kSharedSlotBytes = 1UL << 20;

inline Space space_of(const void* address) {
  auto value = reinterpret_cast<std::uintptr_t>(address);
  if (value < kWindow || value >= kWindowEnd) return Space::kHost;
  switch ((value - kWindow) / kArenaBytes) {
    case 0:
      return Space::kDevice;
    case 1:
      return Space::kManaged;
    case 2:
      return Space::kPinned;
    default:
      return Space::kShared;
  }
}
// True for what device code may reach.
inline bool is_on_card(const void* address) {
  return space_of(address) == Space::kDevice || space_of(address) == Space::kManaged;
}

struct Allocation {
  char* start = nullptr;
  std::size_t bytes = 0;
  Space space = Space::kDevice;
  unsigned flags = 0;
  const void* place = nullptr;  // who asked for it
};

void* allocate(Space space, std::size_t bytes, const void* place, unsigned flags = 0);
cudaError_t release(void* start, Space space, const void* place);
// The allocation that holds `address`, or the nearest below it when `nearest`.
std::optional<Allocation> find_allocation(const void* address, bool nearest = false);
std::optional<Allocation> find_freed(const void* address);
std::size_t card_bytes();  // of the emulated card
std::size_t card_bytes_free();
char* shared_slot(int worker, int number);
void register_host(void* start, std::size_t bytes);
bool unregister_host(void* start);
bool is_registered_host(const void* address);
void reset_memory();
// Allocations of the card that nobody freed.
std::size_t count_leaks(std::size_t& bytes);

}  // namespace starbridge::emulate::cuda
