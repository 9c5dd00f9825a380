#include "emulate/ascend/runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kGuard = 256;             // between allocations, in every mode: addresses do not depend on the mode
constexpr std::size_t kQuarantine = 1UL << 30;  // freed bytes of a check that are not given out again
constexpr std::size_t kReturnToSystem = 1UL << 20;

struct State {
  std::mutex mutex;
  std::uintptr_t end = kWindow + (1UL << 20);  // of what was ever given out; small offsets from zero fault
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

}  // namespace

const char* name_of(Memory memory) {
  static const char* const names[] = {"UB", "L1", "L0A", "L0B", "L0C", "the bias table", "the fixpipe buffer", "GM", "host memory"};
  return names[static_cast<unsigned>(memory)];
}

std::size_t size_of(Memory memory) {
  const Chip& now = chip();
  const int sizes[] = {now.ub_bytes, now.l1_bytes, now.l0a_bytes, now.l0b_bytes, now.l0c_bytes, now.bias_bytes, now.fixpipe_bytes};
  return static_cast<std::size_t>(sizes[static_cast<unsigned>(memory)]);
}

Memory memory_of_position(int position) {
  // GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC SPM TSCM C2PIPE2GM C2PIPE2LOCAL
  static constexpr Memory table[] = {Memory::kUb,  Memory::kL1, Memory::kL0a, Memory::kL1, Memory::kL0b, Memory::kL1, Memory::kBias, Memory::kL0c,
                                     Memory::kUb,  Memory::kUb, Memory::kUb,  Memory::kUb, Memory::kL1,  Memory::kL1, Memory::kFix,  Memory::kFix};
  return position >= 0 && position < 16 ? table[position] : Memory::kUb;
}

namespace {
int g_open = 0;  // a check has one worker, and hosts that call from several threads at once are rare: they may see less
void protect(int protection) {
  if (settings().is_check) mprotect(reinterpret_cast<void*>(kWindow), kGmBytes, protection);
}
}  // namespace

OpenMemory::OpenMemory() {
  if (g_open++ == 0) protect(PROT_READ | PROT_WRITE);
}
OpenMemory::~OpenMemory() {
  if (--g_open == 0) protect(PROT_NONE);
}

void reserve_memory() {
  void* window = mmap(reinterpret_cast<void*>(kWindow), kWindowEnd - kWindow, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (window != reinterpret_cast<void*>(kWindow)) {
    std::perror("starbridge: cannot reserve the chip's addresses");
    std::_Exit(70);
  }
  State& all = state();
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  all.limit = settings().memory_bytes != 0 ? settings().memory_bytes : machine / 2;
  protect(PROT_NONE);
  all.limit = std::min({all.limit, static_cast<std::size_t>(chip().memory_mib) << 20, kGmBytes - (4UL << 20)});
}

void* allocate(std::size_t bytes, const void* place) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (bytes > kGmBytes) return nullptr;
  const std::size_t whole = rounded(bytes);
  if (all.bytes + whole > all.limit) return nullptr;
  std::uintptr_t start = 0;
  if (auto found = all.free.find(whole); found != all.free.end()) {
    start = found->second;
    all.free.erase(found);
  } else if (all.end + whole <= kCoreStart) {
    start = all.end;
    all.end += whole;
  } else {
    return nullptr;
  }
  all.bytes += whole;
  auto* pointer = reinterpret_cast<char*>(start);
  all.freed.erase(start);
  all.used[start] = {pointer, bytes, place};
  if (settings().is_check) set_poison(pointer, bytes, true);
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

}  // namespace starbridge::emulate::ascend
