// Subprocess: runs a program to its end, in a process group of its own, with limits on time and captured output.
// Any thread; blocking. Long-lived jobs are not started here but by engine/.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace starbridge::base {

struct ProcessSpec {
  std::vector<std::string> arguments;                             // arguments[0] is searched in PATH
  std::string working_directory;                                  // empty: the caller's
  std::map<std::string, std::optional<std::string>> environment;  // changes to the caller's environment; nullopt removes
  std::string input;                                              // given on stdin, then closed
  DurationMs timeout_ms = 0;                                      // 0: none; the whole group is killed when it passes
  std::size_t captured_bytes_max = 64UL << 20;                    // per stream; more is read and dropped, and marked
  bool merge_output = false;                                      // stderr goes to `out` as well
  std::function<void(std::string_view)> on_output;  // called with each piece of stdout (and stderr when merged) as it comes
};

struct ProcessResult {
  int exit_code = -1;  // -1 when ended by a signal
  int signal = 0;
  bool timed_out = false;
  bool truncated = false;
  std::string out;
  std::string err;
  DurationMs wall_ms = 0;
  bool ok() const { return exit_code == 0; }
};

// Error: base.cannot_start_program (not found, not executable, no memory), naming the program.
Result<ProcessResult> run_process(const ProcessSpec& spec);

// Full path of `program` by PATH, or nullopt.
std::optional<std::string> find_program(const std::string& program);

}  // namespace starbridge::base
