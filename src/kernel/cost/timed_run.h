// TimedRun: a program run on an emulated chip whose clocks are on. Blocking; any thread.
#pragma once

#include <vector>

#include "kernel/cost/times.h"
#include "kernel/program.h"

namespace starbridge::kernel::cost {

struct TimedRun {
  RunReport run;
  std::vector<KernelTimes> kernels;
  base::Text reason;  // why there are none
};

// `request.card` names the chip; its times_path and costs are set here. Errors: those of run_program and find_costs.
base::Result<TimedRun> time_program(const RunRequest& request, const ChipCosts& costs);

}  // namespace starbridge::kernel::cost
