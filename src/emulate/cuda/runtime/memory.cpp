#include "emulate/cuda/runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::cuda {

namespace {

constexpr std::size_t kAlign = 512;
constexpr std::size_t kGuard = 512;             // between allocations, in every mode: addresses do not depend on the mode
constexpr std::size_t kQuarantine = 1UL << 30;  // freed bytes of a check that are not given out again
constexpr std::size_t kReturnToSystem = 1UL << 20;

struct Arena {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;  // of what was ever given out
  std::map<std::uintptr_t, Allocation> used;
  std::map<std::uintptr_t, std::size_t> free;       // by address
  std::map<std::uintptr_t, Allocation> quarantine;  // by address
  std::size_t quarantined = 0;
};

struct State {
  std::mutex mutex;
  Arena arenas[3];
  std::map<std::uintptr_t, std::size_t> registered;
  std::size_t used_on_card = 0;
  std::size_t card = 0;

  State() {
    void* window = mmap(reinterpret_cast<void*>(kWindow), 4 * kArenaBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (window != reinterpret_cast<void*>(kWindow)) {
      std::perror("starbridge: cannot reserve the card's addresses");
      std::_Exit(70);
    }
    const std::uintptr_t starts[] = {kDeviceStart, kManagedStart, kPinnedStart};
    for (int i = 0; i < 3; ++i) arenas[i].start = arenas[i].end = starts[i] + (1UL << 20);  // small offsets from zero fault
    card = settings().memory_bytes;
    if (card == 0) {
      const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
      card = machine / 2;
    }
    if (card > kArenaBytes / 2) card = kArenaBytes / 2;
  }
};

State& state() {
  static State* instance = new State;
  return *instance;
}

Arena& arena_of(Space space) { return state().arenas[space == Space::kManaged ? 1 : space == Space::kPinned ? 2 : 0]; }

std::size_t rounded(std::size_t bytes) { return (bytes + kGuard + kAlign - 1) / kAlign * kAlign; }

void put_free(Arena& arena, std::uintptr_t start, std::size_t bytes) {
  auto next = arena.free.lower_bound(start);
  if (next != arena.free.end() && start + bytes == next->first) {
    bytes += next->second;
    next = arena.free.erase(next);
  }
  if (next != arena.free.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == start) {
      before->second += bytes;
      return;
    }
  }
  arena.free[start] = bytes;
}

}  // namespace

void* allocate(Space space, std::size_t bytes, const void* place, unsigned flags) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  Arena& arena = arena_of(space);
  if (bytes > kArenaBytes) return nullptr;
  const std::size_t whole = rounded(bytes);
  if (space != Space::kPinned && all.used_on_card + whole > all.card) return nullptr;
  std::uintptr_t start = 0;
  for (auto it = arena.free.begin(); it != arena.free.end(); ++it) {
    if (it->second < whole) continue;
    start = it->first;
    const std::size_t rest = it->second - whole;
    arena.free.erase(it);
    if (rest > 0) arena.free[start + whole] = rest;
    break;
  }
  if (start == 0) {
    if (arena.end + whole > arena.start + kArenaBytes - (2UL << 20)) return nullptr;
    start = arena.end;
    arena.end += whole;
  }
  if (space != Space::kPinned) all.used_on_card += whole;
  auto* pointer = reinterpret_cast<char*>(start);
  arena.used[start] = {pointer, bytes, space, flags, place};
  if (settings().is_check) shadow_allocate(pointer, bytes);
  return pointer;
}

cudaError_t release(void* pointer, Space space, const void* place) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  Arena& arena = arena_of(space);
  auto found = arena.used.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == arena.used.end()) return cudaErrorInvalidValue;
  Allocation allocation = found->second;
  arena.used.erase(found);
  const std::size_t whole = rounded(allocation.bytes);
  if (space != Space::kPinned) all.used_on_card -= whole;
  auto start = reinterpret_cast<std::uintptr_t>(pointer);
  if (settings().is_check) {
    shadow_free(pointer, allocation.bytes, place);
    allocation.place = place;
    arena.quarantine[start] = allocation;
    arena.quarantined += whole;
    while (arena.quarantined > kQuarantine && arena.quarantine.size() > 1) {
      auto oldest = arena.quarantine.begin();
      const std::size_t bytes = rounded(oldest->second.bytes);
      arena.quarantined -= bytes;
      put_free(arena, oldest->first, bytes);
      arena.quarantine.erase(oldest);
    }
    return cudaSuccess;
  }
  if (whole >= kReturnToSystem)
    madvise(reinterpret_cast<void*>((start + 4095) / 4096 * 4096), whole / 4096 * 4096 - 4096, MADV_DONTNEED);
  put_free(arena, start, whole);
  return cudaSuccess;
}

std::optional<Allocation> find_allocation(const void* address, bool nearest) {
  Space space = space_of(address);
  if (space == Space::kHost || space == Space::kShared) return std::nullopt;
  State& all = state();
  std::lock_guard lock(all.mutex);
  Arena& arena = arena_of(space);
  auto value = reinterpret_cast<std::uintptr_t>(address);
  auto after = arena.used.upper_bound(value);
  std::optional<Allocation> below;
  if (after != arena.used.begin()) {
    const Allocation& found = std::prev(after)->second;
    if (value < std::prev(after)->first + std::max<std::size_t>(found.bytes, 1)) return found;
    below = found;
  }
  if (!nearest) return std::nullopt;
  if (after != arena.used.end()) {
    const bool is_nearer =
        !below || after->first - value < value - (reinterpret_cast<std::uintptr_t>(below->start) + below->bytes);
    if (is_nearer) return after->second;
  }
  return below;
}

std::optional<Allocation> find_freed(const void* address) {
  Space space = space_of(address);
  if (space == Space::kHost || space == Space::kShared) return std::nullopt;
  State& all = state();
  std::lock_guard lock(all.mutex);
  Arena& arena = arena_of(space);
  auto value = reinterpret_cast<std::uintptr_t>(address);
  auto after = arena.quarantine.upper_bound(value);
  if (after == arena.quarantine.begin()) return std::nullopt;
  const Allocation& found = std::prev(after)->second;
  if (value < std::prev(after)->first + std::max<std::size_t>(found.bytes, 1)) return found;
  return std::nullopt;
}

std::size_t card_bytes() { return state().card; }
std::size_t card_bytes_free() { return state().card - state().used_on_card; }

char* shared_slot(int worker, int number) {
  state();
  return reinterpret_cast<char*>(
      kSharedStart + (static_cast<std::uintptr_t>(worker) * 4096 + static_cast<std::uintptr_t>(number)) * kSharedSlotBytes);
}

void register_host(void* start, std::size_t bytes) {
  std::lock_guard lock(state().mutex);
  state().registered[reinterpret_cast<std::uintptr_t>(start)] = bytes;
}

bool unregister_host(void* start) {
  std::lock_guard lock(state().mutex);
  return state().registered.erase(reinterpret_cast<std::uintptr_t>(start)) > 0;
}

bool is_registered_host(const void* address) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  auto value = reinterpret_cast<std::uintptr_t>(address);
  auto after = all.registered.upper_bound(value);
  return after != all.registered.begin() && value < std::prev(after)->first + std::prev(after)->second;
}

void reset_memory() {
  State& all = state();
  for (Space space : {Space::kDevice, Space::kManaged, Space::kPinned}) {
    std::vector<void*> pointers;
    {
      std::lock_guard lock(all.mutex);
      for (auto& [start, allocation] : arena_of(space).used) pointers.push_back(allocation.start);
    }
    for (void* pointer : pointers) (void)release(pointer, space, nullptr);
  }
}

std::size_t count_leaks(std::size_t& bytes) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  bytes = 0;
  std::size_t count = 0;
  for (Space space : {Space::kDevice, Space::kManaged}) {
    for (auto& [start, allocation] : arena_of(space).used) {
      bytes += allocation.bytes;
      ++count;
    }
  }
  return count;
}

}  // namespace starbridge::emulate::cuda
