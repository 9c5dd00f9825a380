// Modelled: what a port costs on the chip by the clocks of the emulated one, beside the same program thread by thread and beside
// the least any port could take. Never a measurement. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "kernel/cost/chip_costs.h"
#include "kernel/cost/times.h"
#include "kernel/port/port.h"

namespace starbridge::kernel::port {

struct ModelRequest {
  PortRequest port;  // without an output folder, a temporary one is used
  std::vector<std::string> arguments;
  std::string working_directory;
  int time_limit_s = 300;
  bool has_scalar = true;  // also run the scalar port; without it the bound is that of the memory alone
};

struct ModelledKernel {
  std::string name;
  cost::KernelTimes port, scalar;  // scalar.launches 0: not run
  cost::Bound bound;

  double bound_ratio() const { return bound.us() > 0 ? port.us / bound.us() : 0; }
  double speedup() const { return port.us > 0 ? scalar.us / port.us : 0; }
};

struct ModelReport {
  PortReport port;
  cost::ChipCosts costs;
  std::vector<ModelledKernel> kernels;  // those that were launched
  base::Text reason;                    // why there are no times

  const ModelledKernel* find(const std::string& name) const;
};

// Errors: those of port_program, run_program and find_costs.
base::Result<ModelReport> model_program(const ModelRequest& request);

}  // namespace starbridge::kernel::port
