#include "kernel/port/modelled.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "kernel/cost/timed_run.h"
#include "kernel/folder.h"

namespace starbridge::kernel::port {

using base::text;

namespace {

base::Result<cost::TimedRun> time_port(const ModelRequest& request, const PortReport& port, const cost::ChipCosts& costs) {
  RunRequest run;
  run.path = port.files[0];
  for (std::size_t i = 1; i < port.files.size() && i <= request.port.with.size(); ++i) run.with.push_back(port.files[i]);
  run.includes = {std::filesystem::path(run.path).parent_path().string()};
  run.card = port.chip;
  run.arguments = request.arguments;
  run.working_directory = request.working_directory;
  run.time_limit_s = request.time_limit_s;
  return cost::time_program(run, costs);
}

}  // namespace

const ModelledKernel* ModelReport::find(const std::string& name) const {
  auto found = std::find_if(kernels.begin(), kernels.end(), [&](const ModelledKernel& each) { return each.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

base::Result<ModelReport> model_program(const ModelRequest& given) {
  TemporaryFolder folder;
  if (folder.path.empty()) return base::io_error(errno, text("making a folder", "创建目录"), "/tmp");
  ModelRequest request = given;
  if (request.port.output_folder.empty()) request.port.output_folder = folder.path + "/port";
  ModelReport report;
  SB_TRY(report.costs, cost::find_costs(request.port.chip));
  SB_TRY(report.port, port_program(request.port));
  SB_TRY(cost::TimedRun timed, time_port(request, report.port, report.costs));
  report.reason = timed.reason;
  std::vector<cost::KernelTimes> scalar_times;
  if (request.has_scalar && !timed.kernels.empty()) {
    ModelRequest scalar = request;
    scalar.port.choices = {};
    scalar.port.choices.narrows_double = request.port.choices.narrows_double;
    scalar.port.choices.is_scalar = true;
    scalar.port.output_folder = folder.path + "/scalar";
    SB_TRY(PortReport port, port_program(scalar.port));
    SB_TRY(cost::TimedRun run, time_port(scalar, port, report.costs));
    scalar_times = std::move(run.kernels);
  }
  for (cost::KernelTimes& each : timed.kernels) {
    ModelledKernel kernel;
    kernel.name = each.kernel;
    kernel.port = std::move(each);
    auto found = std::find_if(scalar_times.begin(), scalar_times.end(),
                              [&](const cost::KernelTimes& other) { return other.kernel == kernel.name; });
    if (found != scalar_times.end()) kernel.scalar = std::move(*found);
    kernel.bound = cost::bound_of(kernel.port, kernel.scalar.work, kernel.scalar.work_functions, report.costs);
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

}  // namespace starbridge::kernel::port
