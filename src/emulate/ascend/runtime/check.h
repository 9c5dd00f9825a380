// Rules on single operations and accesses: where operands lie, how they are aligned, what they overlap, who else touches them.
// Called on the worker of the task. Only in a check, except report_at.
#pragma once

#include <string>
#include <string_view>

#include "emulate/ascend/runtime/memory.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/ascend/runtime/task.h"

namespace starbridge::emulate::ascend {

void report_at(std::string_view rule, const void* place, std::string en, std::string zh);
void report_pair(std::string_view rule, Task& task, const void* place, bool is_write, const void* other, bool other_writes, std::string en, std::string zh);
void report_race(Task& task, std::string_view rule, const void* place, bool is_write, const Access& other, bool other_writes, std::string en, std::string zh);

constexpr unsigned memory_bit(Memory memory) { return 1U << static_cast<unsigned>(memory); }
constexpr unsigned kUbOnly = memory_bit(Memory::kUb);

// A place of code as an offset in the device library, and back.
std::uint32_t place_mark(const Task& task, const void* place);
const void* place_of_mark(const Task& task, std::uint32_t mark);

// Checks one operand. False when the operation cannot be carried out safely.
bool check_operand(Task& task, const char* name, const char* what, const Segment& segment, unsigned memories, int align, const void* place);
// A scalar access of device code through a pointer.
void check_scalar(const void* address, std::int64_t bytes, int align, bool is_write, bool is_atomic, const void* place);
// Notes an access of GM, and reports it when one of another core or pipe is not ordered with it.
void note_gm(Task& task, const Segment& segment, int pipe, bool is_atomic, const void* place);
// Bytes that go into a register or a sum must have been written.
void check_written(const char* name, const char* start, std::int64_t bytes, const void* place);
// Numbers of an instruction: reported when outside [low, high].
bool check_range(const char* name, const char* what, std::int64_t value, std::int64_t low, std::int64_t high, const void* place);

}  // namespace starbridge::emulate::ascend
