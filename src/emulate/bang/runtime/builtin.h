// How a built-in is carried out. In a run: at once. In a check: its operands are checked, then it waits for its moment on its
// pipe. Called on the worker of the task, inside the kernel.
#pragma once

#include <functional>
#include <initializer_list>

#include "emulate/bang/loops/loops.h"
#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/timing.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

// How a result may lie over its sources.
enum class Overlap { kExact, kNone, kAny };

struct Builtin {
  const char* name;
  const void* place;
  Pipe pipe = Pipe::kCompute;
  bool is_async = false;
  Overlap overlap = Overlap::kExact;
  bool is_atomic = false;
};

constexpr unsigned kNram = space_bit(Space::kNram);
constexpr unsigned kWram = space_bit(Space::kWram);
constexpr unsigned kGdram = space_bit(Space::kGdram);
constexpr unsigned kSramSpace = space_bit(Space::kSram);
constexpr unsigned kLdramSpace = space_bit(Space::kLdram);

inline Operand writes(const char* what, const void* start, std::int64_t bytes, unsigned spaces = kNram) {
  return {what, {static_cast<const char*>(start), bytes, 0, 1, 0, 1, true}, spaces, 0};
}
inline Operand reads(const char* what, const void* start, std::int64_t bytes, unsigned spaces = kNram) {
  return {what, {static_cast<const char*>(start), bytes, 0, 1, 0, 1, false}, spaces, 0};
}

// `poison` tells what becomes of the marks of never-written bytes; it runs with `work`.
void perform_checked(const Builtin& builtin, std::initializer_list<Operand> operands, std::function<void()> work,
                     std::function<void()> poison);

// A cluster's memory core runs the kernel too, but has neither NRAM nor WRAM nor a vector unit: what needs them passes it by.
// True (and remarked in a check) when the running core is one and `builtin` is of that kind.
bool passes_by(const Builtin& builtin, std::initializer_list<Operand> operands);

template <class Work, class Poison>
void perform(const Builtin& builtin, std::initializer_list<Operand> operands, Work work, Poison poison) {
  if (is_on_memory_core() && passes_by(builtin, operands)) return;
  if (settings().is_timed) time_operation(builtin, operands);
  if (!settings().is_check)
    work();
  else
    perform_checked(builtin, operands, work, poison);
}

// Poison of `to` element by element from that of the sources (each {start, bytes of an element}).
struct Source {
  const void* start;
  int bytes;
};
void flow_elements(void* to, int to_bytes, std::int64_t n, std::initializer_list<Source> sources);
// The whole result is as good as all of its sources.
void flow_whole(void* to, std::int64_t to_bytes, std::initializer_list<std::pair<const void*, std::int64_t>> sources);

// The rules every vector built-in shares: a sensible count, lengths the chip's vector unit takes. False: nothing to do.
bool check_count(const Builtin& builtin, std::int64_t count, int element_bytes);
void report_argument(const Builtin& builtin, const std::string& en, const std::string& zh);
// The operation is not there for the type: the program ends, since there is no result to go on with.
[[noreturn]] void refuse(const Builtin& builtin, const std::string& en, const std::string& zh);

#define SB_HERE __builtin_return_address(0)

}  // namespace starbridge::emulate::bang
