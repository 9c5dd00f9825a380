#include "kernel/port/verify.h"

#include <cstring>
#include <filesystem>
#include <set>

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

// The hashes of a file written by emulate/common/inputs.
std::multiset<std::uint64_t> contents_of(const std::string& path) {
  std::multiset<std::uint64_t> hashes;
  base::Result<std::string> content = base::read_file(path);
  if (!content.ok()) return hashes;
  std::string_view rest = *content;
  std::uint64_t head[2] = {};
  while (rest.size() >= sizeof head) {
    std::memcpy(head, rest.data(), sizeof head);
    rest.remove_prefix(sizeof head);
    if (rest.size() < head[0]) break;
    rest.remove_prefix(head[0]);
    hashes.insert(head[1]);
  }
  return hashes;
}

bool holds_all(const std::multiset<std::uint64_t>& of, const std::multiset<std::uint64_t>& in) {
  for (std::uint64_t hash : of) {
    if (in.count(hash) < of.count(hash)) return false;
  }
  return true;
}

// The program's two sides, compiled once each.
class Sides {
 public:
  Sides(const VerifyRequest& request, const PortReport& port, const std::string& folder) : folder_(folder) {
    for (const PortedKernel& kernel : port.kernels) {
      narrow_.half |= kernel.emitted.holds_half;
      narrow_.brain |= kernel.emitted.holds_brain;
    }
    original_.path = request.port.path;
    original_.with = request.port.with;
    original_.includes = request.port.includes;
    original_.defines = request.port.defines;
    original_.standard = request.port.standard;
    original_.arguments = request.arguments;
    original_.working_directory = request.working_directory;
    original_.time_limit_s = request.time_limit_s;
    checked_ = port_ = original_;
    port_.path = request.against.empty() ? port.files[0] : request.against;
    port_.includes = {std::filesystem::path(port_.path).parent_path().string()};
    port_.with.clear();
    for (std::size_t i = 1; i < port.files.size() && i <= request.port.with.size(); ++i) port_.with.push_back(port.files[i]);
    port_.card = request.port.chip;
    checked_.check = port_.check = true;
    original_.keep_folder = file("original");
    checked_.keep_folder = file("checked");
    port_.keep_folder = file("port");
    original_.trace_path = file("original.trace");
    port_.trace_path = file("port.trace");
    original_.inputs_out = file("original.inputs");
  }

  base::Result<RunReport> run_original(const std::string& kind) { return run(original_, kind); }
  base::Result<RunReport> run_checked(const std::string& kind) { return run(checked_, kind); }
  // `given`: what the original worked on is put in the place of what the port's host code makes.
  base::Result<RunReport> run_port(int seed, bool given, bool in_order) {
    port_.seed = static_cast<std::uint64_t>(seed);
    port_.inputs_in = given ? original_.inputs_out : "";
    port_.inputs_in_order = in_order;
    port_.inputs_out = file("port.inputs");
    return run(port_, "");
  }
  bool inputs_agree() const { return holds_all(contents_of(original_.inputs_out), contents_of(file("port.inputs"))); }
  base::Result<Comparison> compare(Class kind, double floor) const {
    SB_TRY(std::string original, base::read_file(original_.trace_path));
    SB_TRY(std::string port, base::read_file(port_.trace_path));
    return compare_traces(original, port, kind, floor, narrow_);
  }

 private:
  std::string file(const std::string& name) const { return std::filesystem::absolute(folder_ + "/" + name).string(); }
  static base::Result<RunReport> run(RunRequest& request, const std::string& kind) {
    request.inputs_kind = kind;
    SB_TRY(RunReport report, run_program(request));
    request.is_compiled = true;
    return report;
  }

  std::string folder_;
  NarrowTypes narrow_;
  RunRequest original_, checked_, port_;
};

// Ended by itself, if perhaps dissatisfied with its own results.
bool ended(const RunReport& run) { return run.signal == 0 && !run.timed_out && (run.ran_well() || run.error_count() == 0); }

base::Text findings_text(const RunReport& run, int seed) {
  return text("the checkers found {} (seed {})", "检查发现 {}（种子 {}）", run.findings.empty() ? "" : run.findings[0].rule,
              seed);
}

base::Status verify_given(const VerifyRequest& request, Sides& sides, VerifyReport& report, Distribution& given) {
  SB_TRY(report.original, sides.run_original(""));
  if (!report.original.ran_well()) {
    given.reason =
        text("the original itself ends with {} on the emulated card", "原程序在仿真卡上以 {} 结束", report.original.exit_code);
    return {};
  }
  given.is_run = true;
  for (int seed = 0; seed < request.seeds; ++seed) {
    SB_TRY(RunReport one, sides.run_port(seed, report.inputs_differed, report.inputs_differed));
    if (seed == 0 && one.ran_well() && !sides.inputs_agree()) {
      report.inputs_differed = true;
      SB_TRY(one, sides.run_port(seed, true, true));
    }
    report.runs.push_back(one);
    if (one.error_count() > 0) {
      given.reason = findings_text(one, seed);
      SB_TRY(RunReport checked, sides.run_checked(""));
      for (const KernelFinding& finding : checked.findings) {
        if (!finding.is_error || finding.rule != one.findings[0].rule) continue;
        given.reason.en += ", as they do in the original";
        given.reason.zh += "，原程序中也有同样的问题";
        break;
      }
      return {};
    }
    // On the original's data the host code may well be dissatisfied: its own are others.
    if (report.inputs_differed ? !ended(one) : !one.ran_well()) {
      given.reason = text("the port ends with {} (seed {})", "移植程序以 {} 结束（种子 {}）", one.exit_code, seed);
      return {};
    }
    SB_TRY(report.comparison, sides.compare(report.kind, kFloor));
    given.metrics = report.comparison.metrics;
    if (!report.comparison.agrees) {
      given.reason = {"results disagree: " + report.comparison.reason.en, "结果不一致：" + report.comparison.reason.zh};
      SB_TRY(RunReport checked, sides.run_checked(""));
      for (const KernelFinding& finding : checked.findings) {
        if (!finding.is_error) continue;
        const std::string place = finding.side.place.file + ":" + std::to_string(finding.side.place.line);
        given.reason.en += "; the checkers find " + finding.rule + " in the original (" + place + ")";
        given.reason.zh += "；检查发现原程序中有 " + finding.rule + "（" + place + "）";
        break;
      }
      return {};
    }
  }
  given.agrees = !report.runs.empty();
  return {};
}

base::Status verify_kind(Sides& sides, VerifyReport& report, Distribution& one) {
  SB_TRY(RunReport original, sides.run_original(one.name));
  if (!ended(original)) {
    one.reason = text("the original does not end well on it", "原程序在该输入下未能正常结束");
    return {};
  }
  SB_TRY(RunReport port, sides.run_port(0, true, report.inputs_differed));
  if (port.error_count() > 0 || !ended(port)) {
    SB_TRY(RunReport checked, sides.run_checked(one.name));
    if (checked.error_count() > 0 || !ended(checked)) {
      one.reason = text("the checkers find {} in the original on it", "检查发现原程序在该输入下有 {}",
                        checked.findings.empty() ? "" : checked.findings[0].rule);
      return {};
    }
    one.is_run = true;
    one.reason = port.error_count() > 0
                     ? findings_text(port, 0)
                     : text("the port ends with {} (seed {})", "移植程序以 {} 结束（种子 {}）", port.exit_code, 0);
    return {};
  }
  one.is_run = true;
  SB_TRY(Comparison comparison, sides.compare(report.kind, kFloorOfChanged));
  one.metrics = comparison.metrics;
  one.agrees = comparison.agrees;
  if (!comparison.agrees) one.reason = {"results disagree: " + comparison.reason.en, "结果不一致：" + comparison.reason.zh};
  return {};
}

}  // namespace

base::Result<VerifyReport> verify_program(const VerifyRequest& request) {
  VerifyReport report;
  SB_TRY(report.port, port_program(request.port));
  report.kind = class_of(report.port);
  const std::string folder = request.port.output_folder + "/.verify";
  SB_TRY_VOID(base::make_directories(folder));
  Sides sides(request, report.port, folder);
  report.distributions.push_back({"given", false, false, {}, {}});
  SB_TRY_VOID(verify_given(request, sides, report, report.distributions[0]));
  report.reason = report.distributions[0].reason;
  report.is_verified = report.distributions[0].agrees;
  for (const char* name : {"signs", "special"}) {
    if (!report.is_verified || request.only_as_given) break;
    report.distributions.push_back({name, false, false, {}, {}});
    Distribution& one = report.distributions.back();
    SB_TRY_VOID(verify_kind(sides, report, one));
    if (!one.is_run || one.agrees) continue;
    report.is_verified = false;
    report.reason = {"with inputs \"" + one.name + "\": " + one.reason.en, "输入分布“" + one.name + "”：" + one.reason.zh};
  }
  std::error_code error;
  if (report.is_verified) std::filesystem::remove_all(folder, error);
  return report;
}

}  // namespace starbridge::kernel::port
