#include "kernel/port/verify.h"

#include <filesystem>

#include "base/files.h"

namespace starbridge::kernel::port {

using base::text;

namespace {

// The weakest class of any kernel that runs. Vector arithmetic does not contract to fused multiply-add, as CUDA does by default.
Class class_of(const PortReport& report) {
  Class kind = Class::kExact;
  for (const PortedKernel& kernel : report.kernels) {
    const Emitted& emitted = kernel.emitted;
    if (!emitted.refusal.empty()) continue;
    if (emitted.approximates) return Class::kApproximate;
    if (emitted.reorders || emitted.narrows_double) kind = Class::kReordered;
  }
  return kind;
}

}  // namespace

base::Result<VerifyReport> verify_program(const VerifyRequest& request) {
  VerifyReport report;
  SB_TRY(report.port, port_program(request.port));
  report.kind = class_of(report.port);
  const std::string folder = request.port.output_folder + "/.verify";
  SB_TRY_VOID(base::make_directories(folder));
  RunRequest run;
  run.path = request.port.path;
  run.includes = request.port.includes;
  run.defines = request.port.defines;
  run.standard = request.port.standard;
  run.arguments = request.arguments;
  run.working_directory = request.working_directory;
  run.time_limit_s = request.time_limit_s;
  run.trace_path = std::filesystem::absolute(folder + "/original.trace").string();
  SB_TRY(report.original, run_program(run));
  if (!report.original.ran_well()) {
    report.reason =
        text("the original itself ends with {} on the emulated card", "原程序在仿真卡上以 {} 结束", report.original.exit_code);
    return report;
  }
  SB_TRY(std::string original, base::read_file(run.trace_path));
  run.path = request.against.empty() ? report.port.files[0] : request.against;
  run.includes = {std::filesystem::path(run.path).parent_path().string()};
  run.card = request.port.chip;
  run.check = true;
  run.trace_path = std::filesystem::absolute(folder + "/port.trace").string();
  for (int seed = 0; seed < request.seeds; ++seed) {
    run.seed = static_cast<std::uint64_t>(seed);
    SB_TRY(RunReport one, run_program(run));
    report.runs.push_back(one);
    if (!one.ran_well() || one.error_count() > 0) {
      const std::string rule = one.findings.empty() ? "" : one.findings[0].rule;
      report.reason = one.error_count() > 0
                          ? text("the checkers found {} (seed {})", "检查发现 {}（种子 {}）", rule, seed)
                          : text("the port ends with {} (seed {})", "移植程序以 {} 结束（种子 {}）", one.exit_code, seed);
      return report;
    }
    SB_TRY(std::string port_trace, base::read_file(run.trace_path));
    report.comparison = compare_traces(original, port_trace, report.kind);
    if (!report.comparison.agrees) {
      report.reason = text("results disagree: {}", "结果不一致：{}", report.comparison.reason);
      return report;
    }
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  report.is_verified = !report.runs.empty();
  return report;
}

}  // namespace starbridge::kernel::port
