// Shadow: what a check remembers of the chip's memories. One worker only.
//   poison   one byte per byte: what is known of it (below). Moves with the data, so that padding may travel unread.
//   cells    per 8 bytes of GDRAM and SRAM: who wrote and read last, to tell accesses of several cores apart.
#pragma once

#include <cstdint>

#include "emulate/bang/runtime/memory.h"

namespace starbridge::emulate::bang {

constexpr unsigned char kNeverWritten = 1;
constexpr unsigned char kFilterLayout = 2;  // written, in the order that matrix built-ins want their weights

constexpr std::uintptr_t kPoisonStart = 0x200000000000ULL;
constexpr std::uintptr_t kCellStart = 0x300000000000ULL;

// One access of a cell. Clocks number the stretches of a task between barriers, over all launches, upwards; zero: none.
struct Access {
  std::uint32_t clock;
  std::uint32_t place;   // offset of the return address in the device library
  std::uint32_t strand;  // which task of the launch
  std::uint8_t bytes;    // which of the cell's bytes
  std::uint8_t is_atomic;
};
struct Cell {
  Access write;
  Access read;
};
static_assert(sizeof(Cell) == 32);

inline Cell& cell_at(std::uintptr_t address) { return reinterpret_cast<Cell*>(kCellStart)[(address - kWindow) / 8]; }
inline unsigned char* poison_of(const void* address) {
  return reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(address) - kWindow + kPoisonStart);
}
inline bool has_shadow(const void* address) { return space_of(address) != Space::kHost; }

void reserve_shadow();
void set_poison(const void* start, std::size_t bytes, bool is_poisoned);
void set_filter_layout(const void* start, std::size_t bytes);
bool has_filter_layout(const void* start, std::size_t bytes);
// The bytes at `to` are as much written as those at `from`; either may be outside the chip (then: written).
void copy_poison(void* to, const void* from, std::size_t bytes);
// The first byte that was never written, or nullptr.
const char* first_poisoned(const void* start, std::size_t bytes);

}  // namespace starbridge::emulate::bang
