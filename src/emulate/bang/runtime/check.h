// Rules on single operations and accesses: where operands lie, how they are aligned, what they overlap, who else touches them.
// Called on the worker of the task. Only in a check, except report_at.
#pragma once

#include <string>
#include <string_view>

#include "emulate/bang/runtime/memory.h"
#include "emulate/bang/runtime/task.h"

namespace starbridge::emulate::bang {

constexpr unsigned space_bit(Space space) { return 1U << static_cast<unsigned>(space); }
constexpr unsigned kOnCore = space_bit(Space::kNram);

// One operand of a built-in.
struct Operand {
  const char* what;  // "dst", "src0"
  Region region;
  unsigned spaces = kOnCore;  // where it may lie
  int align = 1;              // of its address, bytes
};

void report_at(std::string_view rule, const void* place, std::string en, std::string zh);
void report_missing_sync(Task& task, const Operation& operation, const Region& mine, const Operation& earlier, const Region& its);
void report_unwaited(Task& task, const Operation& operation);

// Checks one operand. False when the operation cannot be carried out safely.
bool check_operand(Task& task, const char* name, const Operand& operand, const void* place);
// A scalar access of device code. `align` 0: unknown.
void check_scalar(const void* address, std::int64_t bytes, int align, bool is_write, bool is_atomic, const void* place);
// Notes an access of memory that other cores see, and reports it when another core's is not ordered with it.
void note_shared(Task& task, const Region& region, bool is_atomic, const void* place, const void* new_bytes = nullptr);
// Bytes that go where the host or another core will see them, or into a register, must have been written.
void check_written(const char* name, const Region& region, const void* place);
// What a kernel's variables take of the chip's memories. False when they do not fit.
bool check_capacity(const Kernel& kernel);

}  // namespace starbridge::emulate::bang
