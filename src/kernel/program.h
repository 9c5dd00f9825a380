// Program: a CUDA or BANG C program compiled for an emulated card and run in a child process with limits. Any thread; blocking.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kernel/finding.h"
#include "kernel/toolchain.h"

namespace starbridge::kernel {

struct RunRequest {
  std::string path;               // a source, or a folder whose sources make one program
  std::vector<std::string> with;  // further sources
  std::vector<std::string> includes;
  std::vector<std::string> defines;
  std::string standard = "c++17";
  std::vector<std::string> arguments;  // of the program
  std::string card;                    // empty: the default of the program's machine
  bool fast_math = false;
  bool check = false;
  std::optional<std::uint64_t> seed;  // order of threads, lanes and blocks drawn from it
  int time_limit_s = 600;             // of the running program
  std::uint64_t memory_mib = 0;       // of the card; 0: half of the machine's
  std::uint64_t sample_blocks = 0;    // 0: every block runs
  int workers = 0;                    // 0: one per core
  std::string working_directory;      // empty: the caller's
  std::string keep_folder;            // keep program and findings here; empty: a folder that is removed
  std::string trace_path;             // receives what comes back from the card; empty: nothing does
  std::string inputs_out, inputs_in;  // files for what goes to the card: written, or given in place of the program's own
  std::string inputs_kind;            // another distribution of its floats: "signs", "special"; empty: as they come
  bool inputs_in_order = false;       // those whose content inputs_in does not know are taken by length
  bool is_compiled = false;           // keep_folder holds the program of an earlier run
  std::string times_path;             // receives the modelled time of every launch (cost/times.h); not with `check`; empty: none
  std::string costs;                  // for it: ChipCosts::environment
  std::string input;                  // stdin of the program
  std::vector<std::string> without;   // rules whose findings are left out
  std::function<void(std::string_view)> on_output;
};

struct RunReport {
  int exit_code = 0;  // of the program; -1: ended by `signal`
  int signal = 0;
  bool timed_out = false;  // even the runtime's own time limit did not end it
  std::string output;      // stdout and stderr as they came
  std::vector<KernelFinding> findings;
  base::DurationMs compile_ms = 0;
  base::DurationMs run_ms = 0;
  std::string card_name;

  std::size_t error_count() const;
  // The program ended by itself with 0 and nothing stopped it.
  bool ran_well() const;
};

// Errors: those of find_toolchain and compile; kernel.no_kernel_source; base.file_not_found; kernel.unknown_card.
base::Result<RunReport> run_program(const RunRequest& request);

// The sources a path stands for: itself, or the .cu or .mlu, .cpp and .c files of a folder, sorted.
base::Result<std::vector<std::string>> sources_of(const std::string& path);

}  // namespace starbridge::kernel
