// Lines: the short form of the shadow. Most memory is touched in rows, by neighbouring threads one after the other; a line keeps
// such rows for 32 words instead of one cell per word. What does not fit is spread over the line's cells. One worker only.
#pragma once

#include <cstdint>

#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/shadow.h"

namespace starbridge::emulate::cuda {

struct Block;

constexpr unsigned kLineWords = 32;
constexpr std::uintptr_t kLineBytes = kLineWords * 4;

// Accesses of whole words of one line by threads of one warp, from one place of the program, in one interval and one epoch. The
// thread of word w is first_thread + (w >> shift).
struct Row {
  std::uint32_t interval;
  std::uint32_t place;
  std::uint32_t words;  // one bit each
  std::int16_t first_thread;
  std::uint8_t epoch;
  std::uint8_t shift;  // 5: all words by one thread

  int thread_of(unsigned word) const { return first_thread + static_cast<int>(word >> shift); }
};
static_assert(sizeof(Row) == 16);

enum class LineForm : std::uint8_t { kNothing, kRows, kCells };  // what lies there: no allocation, rows, cells

struct Line {
  std::uint32_t generation;   // first interval of the launch, or (shared memory) of the block, that its rows are of
  std::uint32_t initialised;  // one bit per word
  LineForm form;
  std::uint8_t usable;  // how many of its bytes, from the first, belong to an allocation
  std::uint8_t writes;
  std::uint8_t reads;
  std::uint32_t unused;
  static constexpr unsigned kWritesMax = 3, kReadsMax = 6;
  Row write[kWritesMax];  // no word twice: the last writer
  Row read[kReadsMax];    // newest last
};
static_assert(sizeof(Line) == 160);

constexpr std::uintptr_t kLinesStart = 0x300000000000ULL;
constexpr std::uintptr_t kLinesBytes = 4 * kArenaBytes / kLineBytes * sizeof(Line);

inline Line& line_at(std::uintptr_t address) { return reinterpret_cast<Line*>(kLinesStart)[(address - kWindow) / kLineBytes]; }

// A launch (a block, in shared memory) meets the line for the first time: what earlier ones did is forgotten.
void renew_line(Line& line, std::uintptr_t address, std::uint32_t generation, bool is_shared);
// Turns rows into cells.
void spread_line(Line& line, std::uintptr_t address);
// Records the accesses of `mine`. False, and nothing changed: somebody must look at them word by word.
bool record_row(Line& line, const Row& mine, bool is_write, const Block& block, bool is_shared);
// Did all of that interval of the running launch come before what the block does now?
bool is_earlier(std::uint32_t interval, const Block& block);

// The cell of a word in the card's window, ready to be used.
inline Cell& open_cell(std::uintptr_t address, std::uint32_t generation, bool is_shared) {
  Line& line = line_at(address);
  if (line.generation != generation) renew_line(line, address, generation, is_shared);
  if (line.form != LineForm::kCells) spread_line(line, address);
  return cell_at(address);
}

}  // namespace starbridge::emulate::cuda
