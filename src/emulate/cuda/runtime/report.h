// Reports: what the runtime found, one JSON object per line, for the command that started the program. Places are given as
// addresses; the command turns them into file and line. Without a command the essence goes to standard error.
// May be called on any worker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulate/common/crash.h"
#include "emulate/cuda/runtime/block.h"

namespace starbridge::emulate::cuda {

// One end of a finding: where the program was and which thread it was.
struct Side {
  const void* place = nullptr;  // return address of the access
  bool has_thread = false;
  uint3 block = {0, 0, 0};
  uint3 thread = {0, 0, 0};
  bool is_write = false;
};

struct Finding {
  std::string_view rule;
  std::string en;
  std::string zh;
  Side side;
  Side other;
  bool has_other = false;
};

// Kept once per rule and pair of places; further ones are counted.
void report(const Finding& finding);
Side current_side(const void* place, bool is_write = false);
// No thread of the block can go on: which of them wait where.
void report_stuck_block(Block& block);
// What is left to say when the program ends; also counts.
void finish_reports();
std::string to_string(uint3 index);

}  // namespace starbridge::emulate::cuda
