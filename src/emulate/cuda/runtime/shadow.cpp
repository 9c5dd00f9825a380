#include "emulate/cuda/runtime/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/lines.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate::cuda {

namespace {

unsigned mask_of(unsigned first, unsigned end) { return ((1U << end) - 1) & ~((1U << first) - 1); }

bool is_shadowed(const void* address) { return space_of(address) != Space::kHost; }

// Which bytes of the word at `word` hold a value.
unsigned initialised_of(std::uintptr_t word) {
  const Line& line = line_at(word);
  if (line.form == LineForm::kCells) return cell_at(word).initialised;
  return line.form == LineForm::kRows && (line.initialised >> (word % kLineBytes / 4) & 1U) != 0 ? 0xf : 0;
}

// `bytes` of the word at `word`, of those in `which`, hold a value; the rest of `which` does not.
void set_initialised(std::uintptr_t word, unsigned which, unsigned bytes) {
  Line& line = line_at(word);
  const unsigned now = initialised_of(word), next = (now & ~which) | (bytes & which);
  if (now == next) return;
  if (line.form != LineForm::kCells && (next == 0 || next == 0xf)) {
    const std::uint32_t bit = 1U << (word % kLineBytes / 4);
    line.initialised = next == 0 ? line.initialised & ~bit : line.initialised | bit;
    return;
  }
  if (line.form != LineForm::kCells) spread_line(line, word);
  cell_at(word).initialised = next & 0xf;
}

// Calls visit(word, first byte, end byte) for each word of the range.
template <class Visit>
void each_word(std::uintptr_t start, std::size_t bytes, Visit visit) {
  const std::uintptr_t end = start + bytes;
  for (std::uintptr_t word = start & ~std::uintptr_t{3}; word < end; word += 4)
    visit(word, static_cast<unsigned>(std::max(word, start) - word), static_cast<unsigned>(std::min(word + 4, end) - word));
}

void reserve(std::uintptr_t start, std::size_t bytes) {
  void* shadow = mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (shadow != reinterpret_cast<void*>(start)) {
    std::perror("starbridge: cannot reserve the checkers' addresses");
    std::_Exit(70);
  }
}

}  // namespace

void reserve_shadow() {
  static bool is_reserved = false;
  if (is_reserved) return;
  is_reserved = true;
  reserve(kShadowStart, kShadowBytes);
  reserve(kLinesStart, kLinesBytes);
}

Cell& cell_of_variable(std::uintptr_t address) {
  static auto* cells = new std::unordered_map<std::uintptr_t, Cell>;
  auto [found, is_new] = cells->try_emplace(address & ~std::uintptr_t{3});
  if (is_new) found->second = {{}, 0xf, 0, 4};
  return found->second;
}

Users* users_of_bytes(Cell& cell, std::uintptr_t word) {
  using UsersOfLine = std::array<Users, kLineBytes>;
  static auto* lines = new std::unordered_map<std::uintptr_t, std::unique_ptr<UsersOfLine>>;
  static std::uintptr_t last_number = 0;
  static UsersOfLine* last = nullptr;
  if (const std::uintptr_t number = word / kLineBytes; last == nullptr || number != last_number) {
    std::unique_ptr<UsersOfLine>& line = (*lines)[number];
    if (line == nullptr) line = std::make_unique<UsersOfLine>();
    last = line.get();
    last_number = number;
  }
  Users* users = last->data() + word % kLineBytes;
  if (cell.is_split == 0) std::fill_n(users, 4, cell.users);
  cell.is_split = 1;
  return users;
}

// Allocations start at the start of a line.
void shadow_allocate(void* start, std::size_t bytes) {
  reserve_shadow();
  const bool is_known = space_of(start) != Space::kDevice;  // the host fills managed and pinned memory unseen
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  for (std::uintptr_t at = first; at < first + bytes; at += kLineBytes) {
    Line& line = line_at(at);
    line = {};
    line.form = LineForm::kRows;
    line.initialised = is_known ? ~0U : 0;
    line.usable = static_cast<std::uint8_t>(std::min(first + bytes - at, kLineBytes));
  }
}

void shadow_free(void* start, std::size_t bytes, const void*) {
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  for (std::uintptr_t at = first; at < first + bytes; at += kLineBytes) line_at(at) = {};
}

void shadow_initialise(const void* start, std::size_t bytes) {
  if (!is_shadowed(start)) return;
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t at = first; at < end;) {
    const std::uintptr_t next = std::min(end, (at / kLineBytes + 1) * kLineBytes);
    Line& line = line_at(at);
    if (next - at == kLineBytes && line.form == LineForm::kRows)
      line.initialised = ~0U;
    else
      each_word(at, next - at, [](std::uintptr_t word, unsigned low, unsigned high) {
        set_initialised(word, mask_of(low, high), 0xf);
      });
    at = next;
  }
}

void shadow_copy(void* to, const void* from, std::size_t bytes) {
  if (!is_shadowed(to)) return;
  if (!is_shadowed(from)) return shadow_initialise(to, bytes);
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  if ((target - source) % 4 == 0) {
    each_word(source, bytes, [&](std::uintptr_t word, unsigned low, unsigned high) {
      set_initialised(word - source + target, mask_of(low, high), initialised_of(word));
    });
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    const unsigned is_set = initialised_of((source + i) & ~std::uintptr_t{3}) >> ((source + i) & 3) & 1U;
    const unsigned bit = 1U << ((target + i) & 3);
    set_initialised((target + i) & ~std::uintptr_t{3}, bit, is_set != 0 ? bit : 0);
  }
}

// Closing is a matter of pages: a host access of the card's memory then faults, and the fault is reported with its place.
void open_device_memory() { mprotect(reinterpret_cast<void*>(kDeviceStart), kArenaBytes, PROT_READ | PROT_WRITE); }
void close_device_memory() { mprotect(reinterpret_cast<void*>(kDeviceStart), kArenaBytes, PROT_NONE); }

}  // namespace starbridge::emulate::cuda
