// Verify: a CUDA program on the emulated NVIDIA card and its port on the emulated chip, results compared. Blocking; any thread.
#pragma once

#include "kernel/port/compare.h"
#include "kernel/port/port.h"
#include "kernel/program.h"

namespace starbridge::kernel::port {

struct VerifyRequest {
  PortRequest port;     // with an output folder
  std::string against;  // a port written before, perhaps changed by hand, run in place of the fresh one
  std::vector<std::string> arguments;
  std::string working_directory;
  int time_limit_s = 300;
  int seeds = 2;               // adversarial orders the port is run in
  bool only_as_given = false;  // leave out the distributions beside the program's own
};

// What became of one distribution of the inputs.
struct Distribution {
  std::string name;     // "given", "signs", "special"
  bool is_run = false;  // false: the original cannot take it, `reason` says why
  bool agrees = false;
  base::Text reason;
  Metrics metrics;
};

struct VerifyReport {
  PortReport port;
  Class kind = Class::kExact;
  RunReport original;
  std::vector<RunReport> runs;  // of the port with the program's own inputs, one per seed, until one is not clean
  Comparison comparison;        // of the last of them
  std::vector<Distribution> distributions;
  // The host code gave the two sides different data (it reads a clock, or past the end of something): the port got the
  // original's.
  bool inputs_differed = false;
  // Ran with clean checkers in every order and agreed by its class, on every distribution the original can take.
  bool is_verified = false;
  base::Text reason;  // why not
};

// Errors: those of port_program and run_program.
base::Result<VerifyReport> verify_program(const VerifyRequest& request);

}  // namespace starbridge::kernel::port
