// Timing: the modelled time of a launch, when the command asks for it (SB_EMULATE_TIMES). Every built-in, sync and scalar piece
// of a task moves the clock of its core; the launch is as long as its slowest core. One worker carries everything out then.
// Costs: data/kernels/chip_costs.tsv.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "cnrt.h"
#include "emulate/bang/runtime/pipes.h"
#include "emulate/common/core_clock.h"
#include "emulate/common/footprint.h"

namespace starbridge::emulate::bang {

struct Builtin;
struct Operand;
struct Launch;
struct Barrier;
struct Task;

// What a launch did, summed over its cores.
struct TimedCounts {
  std::uint64_t vector_operations = 0, vector_bytes = 0, copies = 0, segments = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // as the memory moves them: whole lines
  std::uint64_t scalar_operations = 0, near_accesses = 0, far_accesses = 0, atomics = 0, syncs = 0;
  std::uint64_t work = 0, work_functions = 0;  // of a scalar port: operations of the original, counted where they happen
};

struct TimedCore {
  double now = 0;
  double busy[kTimedPipes] = {};
};

struct TimedPlace {
  const char* name = "";
  unsigned pipe = 0;
  std::uint64_t count = 0;
  double cycles = 0;
};

class LaunchTiming {
 public:
  explicit LaunchTiming(int tasks_at_once);
  TimedCounts counts;
  Footprint footprint;
  std::unordered_map<const void*, TimedPlace> places;
  double memory_bytes_per_cycle = 0;  // of each core
  // The core with least to do takes the next task.
  void add(Task& task);
  void write(const Launch& launch) const;

 private:
  std::vector<TimedCore> cores_;
};

// run_launch, and the launch's time written when the command asked for it.
cnrtRet_t run_timed(Launch& launch);
// In the running task.
void time_operation(const Builtin& builtin, std::initializer_list<Operand> operands);
void time_sync(unsigned pipes);
void time_arrival(Barrier& barrier);

}  // namespace starbridge::emulate::bang
