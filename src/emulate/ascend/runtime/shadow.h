// Shadow: what a check remembers of the chip's memories. One worker only.
//   poison   one byte per byte: nonzero where nothing was ever written. Moves with copies.
//   lines    per 32 bytes of GM: who wrote and read last, to tell accesses of several cores and pipes apart.
//   hazards  per 32 bytes of a core's own memories: which pipe wrote last, which have read since.
#pragma once

#include <cstdint>

#include "emulate/ascend/runtime/memory.h"
#include "starbridge/asc_codes.h"

namespace starbridge::emulate::ascend {

constexpr std::uintptr_t kPoisonStart = 0x200000000000ULL;
constexpr std::uintptr_t kLineStart = 0x300000000000ULL;
constexpr std::uintptr_t kHazardStart = 0x400000000000ULL;

// One access of a line. Clocks number the stretches of a task between meetings, over all launches, upwards; zero: none.
struct Access {
  std::uint32_t clock;
  std::uint32_t place;       // offset of the return address in the device library
  std::uint32_t strand;      // which task of the launch
  std::uint32_t bytes;       // which of the line's bytes
  std::uint32_t pipe_clock;  // when, on its pipe
  std::uint8_t pipe;
  std::uint8_t is_atomic;
  std::uint8_t is_scalar;
  std::uint8_t unused;
};
struct Line {
  Access write;
  Access read;
};
struct Mark {
  std::uint32_t clock;
  std::uint32_t place;
};
struct Hazard {
  Mark write;
  std::uint32_t write_pipe;
  Mark reads[SB_PIPE_COUNT];
};

inline Line& line_at(std::uintptr_t address) { return reinterpret_cast<Line*>(kLineStart)[(address - kWindow) / 32]; }
inline Hazard& hazard_at(std::uintptr_t address) { return reinterpret_cast<Hazard*>(kHazardStart)[(address - kCoreStart) / 32]; }
inline unsigned char* poison_of(const void* address) {
  return reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(address) - kWindow + kPoisonStart);
}
inline bool has_shadow(const void* address) { return memory_of(address) != Memory::kHost; }

void reserve_shadow();
void set_poison(const void* start, std::size_t bytes, bool is_poisoned);
// The bytes at `to` are as much written as those at `from`; either may be outside the chip (then: written).
void copy_poison(void* to, const void* from, std::size_t bytes);
// The first byte that was never written, or nullptr.
const char* first_poisoned(const void* start, std::size_t bytes);

}  // namespace starbridge::emulate::ascend
