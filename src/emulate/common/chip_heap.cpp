#include "emulate/common/chip_heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "emulate/common/settings.h"

namespace starbridge::emulate {

namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kGuard = 256;             // between allocations, in every mode: addresses do not depend on the mode
constexpr std::size_t kQuarantine = 1UL << 30;  // freed bytes of a check that are not given out again
constexpr std::size_t kReturnToSystem = 1UL << 20;

struct State {
  std::mutex mutex;
  HeapPlan plan;
  std::uintptr_t end = 0;  // of what was ever given out
  std::map<std::uintptr_t, Allocation> used, freed;
  std::multimap<std::size_t, std::uintptr_t> free;  // by size, to be given out again
  std::size_t bytes = 0, quarantined = 0, limit = 0;
};

State& state() {
  static State* instance = new State;
  return *instance;
}

std::size_t rounded(std::size_t bytes) { return (bytes + kGuard + kAlign - 1) / kAlign * kAlign; }

std::optional<Allocation> holder(const std::map<std::uintptr_t, Allocation>& map, std::uintptr_t value, bool nearest) {
  auto after = map.upper_bound(value);
  std::optional<Allocation> below;
  if (after != map.begin()) {
    below = std::prev(after)->second;
    if (value < reinterpret_cast<std::uintptr_t>(below->start) + std::max<std::size_t>(below->bytes, 1)) return below;
  }
  if (!nearest) return std::nullopt;
  if (after != map.end() &&
      (!below || after->first - value < value - reinterpret_cast<std::uintptr_t>(below->start) - below->bytes))
    return after->second;
  return below;
}

int g_open = 0;  // a check has one worker, and hosts that call from several threads at once are rare: they may see less
void protect(int protection) {
  if (settings().is_check) mprotect(reinterpret_cast<void*>(state().plan.start), state().plan.heap_bytes(), protection);
}

}  // namespace

OpenMemory::OpenMemory() {
  if (g_open++ == 0) protect(PROT_READ | PROT_WRITE);
}
OpenMemory::~OpenMemory() {
  if (--g_open == 0) protect(PROT_NONE);
}

void reserve_addresses(std::uintptr_t start, std::size_t bytes, const char* what) {
  void* got = mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == reinterpret_cast<void*>(start)) return;
  std::perror((std::string("starbridge: cannot reserve ") + what).c_str());
  std::_Exit(70);
}

void reserve_heap(const HeapPlan& plan) {
  reserve_addresses(plan.start, plan.end - plan.start, "the chip's addresses");
  State& all = state();
  all.plan = plan;
  all.end = plan.start + (1UL << 20);  // small offsets from zero fault
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  all.limit = settings().memory_bytes != 0 ? settings().memory_bytes : machine / 2;
  protect(PROT_NONE);
  all.limit = std::min({all.limit, plan.capacity, plan.heap_bytes() - (4UL << 20)});
}

void* heap_allocate(std::size_t bytes, const void* place) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (bytes > all.plan.heap_bytes()) return nullptr;
  const std::size_t whole = rounded(bytes);
  if (all.bytes + whole > all.limit) return nullptr;
  std::uintptr_t start = 0;
  if (auto found = all.free.find(whole); found != all.free.end()) {
    start = found->second;
    all.free.erase(found);
  } else if (all.end + whole <= all.plan.heap_end) {
    start = all.end;
    all.end += whole;
  } else {
    return nullptr;
  }
  all.bytes += whole;
  auto* pointer = reinterpret_cast<char*>(start);
  all.freed.erase(start);
  all.used[start] = {pointer, bytes, place};
  return pointer;
}

bool release(void* pointer, const void* place) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  auto found = all.used.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == all.used.end()) return false;
  Allocation allocation = found->second;
  const std::uintptr_t start = found->first;
  all.used.erase(found);
  const std::size_t whole = rounded(allocation.bytes);
  all.bytes -= whole;
  if (whole >= kReturnToSystem)
    madvise(reinterpret_cast<void*>((start + 4095) / 4096 * 4096), whole / 4096 * 4096 - 4096, MADV_DONTNEED);
  if (!settings().is_check) {
    all.free.emplace(whole, start);
    return true;
  }
  allocation.place = place;
  all.freed[start] = allocation;
  all.quarantined += whole;
  while (all.quarantined > kQuarantine && all.freed.size() > 1) {
    const Allocation oldest = all.freed.begin()->second;
    all.quarantined -= rounded(oldest.bytes);
    all.free.emplace(rounded(oldest.bytes), all.freed.begin()->first);
    all.freed.erase(all.freed.begin());
  }
  return true;
}

std::optional<Allocation> find_allocation(const void* address, bool nearest) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  return holder(all.used, reinterpret_cast<std::uintptr_t>(address), nearest);
}

std::optional<Allocation> find_freed(const void* address) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  return holder(all.freed, reinterpret_cast<std::uintptr_t>(address), false);
}

std::size_t memory_bytes() { return state().limit; }
std::size_t memory_bytes_used() { return state().bytes; }

std::size_t count_leaks(std::size_t& bytes) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  bytes = 0;
  for (auto& [start, allocation] : all.used) bytes += allocation.bytes;
  return all.used.size();
}

}  // namespace starbridge::emulate
