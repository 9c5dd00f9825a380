// What the instructions share: which elements a call names, where they lie, and how a call becomes an operation of a pipe.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emulate/ascend/loops/loops.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/task.h"

namespace starbridge::emulate::ascend {

// The elements of a vector instruction: n one after the other, or repeats of `lanes` with a mask.
struct Shape {
  bool is_run = true;  // contiguous: `count` elements
  std::int64_t count = 0;
  int repeats = 0, lanes = 0;
  std::uint64_t mask[2] = {};
  std::uint64_t last_mask[2] = {};  // of the last repeat, in Counter mode
  bool active(int repeat, int lane) const {
    const std::uint64_t* bits = repeat == repeats - 1 ? last_mask : mask;
    return (bits[lane / 64] >> (lane % 64) & 1) != 0;
  }
  bool is_full() const;
};

// One operand: 32-byte blocks at a stride, 8 to a repeat for the widest type.
struct Layout {
  const char* start = nullptr;
  int bytes = 4;  // of an element
  int block_stride = 1, repeat_stride = 8;
  const char* at(int repeat, int lane) const {
    const std::int64_t offset = static_cast<std::int64_t>(lane) * bytes;
    return start + static_cast<std::int64_t>(repeat) * repeat_stride * 32 + offset / 32 * block_stride * 32 + offset % 32;
  }
  bool is_run(const Shape& shape) const;
};

// `count` < 0: `mask` holds bits; else a continuous mask of `count`. `bytes`: of the widest element.
Shape shape_of(Task& task, const char* name, int form, std::int64_t count, const sb_word* mask, int repeat, bool is_sliced, int bytes, const void* place);
void add_segments(std::vector<Segment>& to, const Layout& layout, const Shape& shape, bool is_write);
// Checks the operands of a vector instruction (all in UB, 32-byte aligned). False: it cannot be carried out.
bool check_vector(Task& task, const Operation& operation, int align = 32);
// The named bytes are written now.
void mark_written(const Operation& operation);
// Checks a vector instruction, marks what it writes and gives it to the vector pipe; without checkers it is carried out at once.
void issue_vector(Task& task, Operation operation, int align = 32);
[[noreturn]] void refuse(const char* name, const char* en, const char* zh, const void* place);

}  // namespace starbridge::emulate::ascend
