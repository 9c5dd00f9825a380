#include "emulate/cuda/runtime/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate::cuda {

namespace {

// Calls visit(cell, first byte, end byte) for each word of the range.
template <class Visit>
void each_word(std::uintptr_t start, std::size_t bytes, Visit visit) {
  const std::uintptr_t end = start + bytes;
  for (std::uintptr_t word = start & ~std::uintptr_t{3}; word < end; word += 4)
    visit(cell_at(word), static_cast<unsigned>(std::max(word, start) - word),
          static_cast<unsigned>(std::min(word + 4, end) - word));
}

unsigned mask_of(unsigned first, unsigned end) { return ((1U << end) - 1) & ~((1U << first) - 1); }

bool is_shadowed(const void* address) { return space_of(address) != Space::kHost; }

}  // namespace

void reserve_shadow() {
  static bool is_reserved = false;
  if (is_reserved) return;
  is_reserved = true;
  void* shadow = mmap(reinterpret_cast<void*>(kShadowStart), kShadowBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (shadow != reinterpret_cast<void*>(kShadowStart)) {
    std::perror("starbridge: cannot reserve the checkers' addresses");
    std::_Exit(70);
  }
}

Cell& cell_of_variable(std::uintptr_t address) {
  static auto* cells = new std::unordered_map<std::uintptr_t, Cell>;
  auto [found, is_new] = cells->try_emplace(address & ~std::uintptr_t{3});
  if (is_new) found->second = {{}, {}, 0, 0, 0xf, 0, 4};
  return found->second;
}

void shadow_allocate(void* start, std::size_t bytes) {
  reserve_shadow();
  const bool is_known = space_of(start) != Space::kDevice;  // the host fills managed and pinned memory unseen
  each_word(reinterpret_cast<std::uintptr_t>(start), bytes, [&](Cell& cell, unsigned, unsigned end) {
    cell = {{}, {}, 0, 0, static_cast<std::uint8_t>(is_known ? 0xf : 0), 0, static_cast<std::uint8_t>(end)};
  });
}

void shadow_free(void* start, std::size_t bytes, const void*) {
  each_word(reinterpret_cast<std::uintptr_t>(start), bytes, [](Cell& cell, unsigned, unsigned) { cell = {}; });
}

void shadow_initialise(const void* start, std::size_t bytes) {
  if (!is_shadowed(start)) return;
  each_word(reinterpret_cast<std::uintptr_t>(start), bytes, [](Cell& cell, unsigned first, unsigned end) {
    cell.initialised = (cell.initialised | mask_of(first, end)) & 0xf;
  });
}

void shadow_copy(void* to, const void* from, std::size_t bytes) {
  if (!is_shadowed(to)) return;
  if (!is_shadowed(from)) return shadow_initialise(to, bytes);
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  for (std::size_t i = 0; i < bytes; ++i) {
    const unsigned is_set = cell_at(source + i).initialised >> ((source + i) & 3) & 1U;
    Cell& cell = cell_at(target + i);
    const unsigned bit = 1U << ((target + i) & 3);
    cell.initialised = (is_set != 0 ? cell.initialised | bit : cell.initialised & ~bit) & 0xf;
  }
}

// Closing is a matter of pages: a host access of the card's memory then faults, and the fault is reported with its place.
void open_device_memory() { mprotect(reinterpret_cast<void*>(kDeviceStart), kArenaBytes, PROT_READ | PROT_WRITE); }
void close_device_memory() { mprotect(reinterpret_cast<void*>(kDeviceStart), kArenaBytes, PROT_NONE); }

}  // namespace starbridge::emulate::cuda
