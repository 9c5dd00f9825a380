// Shadow: what a check remembers of every word of four bytes that threads share: who wrote and read it last, which of its bytes
// hold a value, and whether it belongs to an allocation. One worker only.
#pragma once

#include <cstdint>

#include "emulate/cuda/runtime/memory.h"

namespace starbridge::emulate::cuda {

// One access of a word, or of a byte of it. Intervals number the stretches of a block between barriers (and fences), over all blocks,
// upwards; zero: none.
struct Access {
  std::uint32_t interval;
  std::uint32_t place;   // offset of the return address in the device library
  std::uint16_t thread;  // rank in its block
  std::uint8_t epoch;    // of its warp
  std::uint8_t is_atomic : 1;
  std::uint8_t is_volatile : 1;
};

// Who used a word, or one of its bytes: the last writer and the last two readers.
struct Users {
  Access write;
  Access read;
  Access other_read;  // by another thread, or in another interval
};

struct Cell {
  Users users;                   // of the whole word
  std::uint8_t initialised : 4;  // one bit per byte
  std::uint8_t is_split : 1;     // a byte was used by itself: each has users of its own
  std::uint8_t usable;           // how many of its bytes belong to an allocation
};
static_assert(sizeof(Cell) == 40);

constexpr std::uintptr_t kShadowStart = 0x200000000000ULL;
constexpr std::uintptr_t kShadowBytes = 4 * kArenaBytes / 4 * sizeof(Cell);

// The cell of the word at `address`, which must lie in the card's window.
inline Cell& cell_at(std::uintptr_t address) { return reinterpret_cast<Cell*>(kShadowStart)[(address - kWindow) / 4]; }
// The cell of a word outside the window (variables of the program); made when first asked for.
Cell& cell_of_variable(std::uintptr_t address);
// Users of each of the four bytes of the word at `word`, which are those of the whole word when it was not split before.
Users* users_of_bytes(Cell& cell, std::uintptr_t word);
void reserve_shadow();

}  // namespace starbridge::emulate::cuda
