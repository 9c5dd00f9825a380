// Times: what the clocks of an emulated chip wrote about a program's launches, and what no port could undercut. Every time is
// modelled, never measured. Plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel/cost/chip_costs.h"

namespace starbridge::kernel::cost {

constexpr std::array<std::string_view, 5> kPipes = {"scalar", "vector", "matrix", "io", "move"};

struct HotPlace {
  std::string module;  // library of the address
  std::uint64_t offset = 0;
  std::string name;  // of the built-in
  std::string pipe;
  std::uint64_t count = 0;
  double us = 0;
};

// All launches of one kernel together.
struct KernelTimes {
  std::string kernel;  // "saxpy"
  std::uint64_t launches = 0;
  double us = 0;                    // of the slowest core, summed over the launches; without what a launch itself takes
  double us_mean = 0;               // of a core, likewise: well below `us` means that cores wait for one
  std::array<double, 5> busy_us{};  // of the slowest core, by pipe
  double launch_us = 0;             // what the launches themselves take
  std::uint64_t vector_operations = 0, vector_bytes = 0, copies = 0, segments = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;                // as the memory moves them
  std::uint64_t unique_bytes_read = 0, unique_bytes_written = 0;  // each line once per launch
  std::uint64_t scalar_operations = 0, near_accesses = 0, far_accesses = 0, atomics = 0, syncs = 0;
  std::uint64_t work = 0, work_functions = 0;  // operations of the original; known from its scalar port alone
  std::vector<HotPlace> places;                // the costliest first

  // The pipe that the slowest core keeps busiest; "wait" when it mostly waits for memory.
  std::string_view bottleneck() const;
};

// The least time these bytes and operations take on the chip, all cores and pipes at full rate.
struct Bound {
  double memory_us = 0, vector_us = 0;
  double us() const { return memory_us > vector_us ? memory_us : vector_us; }
  std::string_view by() const { return memory_us > vector_us ? "memory" : "vector"; }
};

// The text an emulated chip wrote. Order of first launch. Errors: base.malformed_json.
base::Result<std::vector<KernelTimes>> read_times(std::string_view text, const std::string& path, const ChipCosts& costs);
// `port` gives the bytes, `work` and `functions` the operations of the original.
Bound bound_of(const KernelTimes& port, std::uint64_t work, std::uint64_t functions, const ChipCosts& costs);

}  // namespace starbridge::kernel::cost
