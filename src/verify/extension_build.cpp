#include "verify/extension_build.h"

#include <filesystem>
#include <regex>

#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace starbridge::verify {
namespace {

constexpr base::DurationMs kBuildMsMax = 1'800'000;
constexpr std::size_t kTailBytes = 2000;

}  // namespace

std::string_view to_string(ExtensionState state) {
  return state == ExtensionState::kBuilt ? "built" : state == ExtensionState::kFailed ? "failed" : "none";
}

bool has_extension(const std::string& project) {
  base::Result<std::string> script = base::read_file(project + "/setup.py");
  static const std::regex pattern(R"(\b(CUDAExtension|CppExtension|MLUExtension|NpuExtension)\b)");
  return script.ok() && std::regex_search(*script, pattern);
}

bool has_ported_kernels(const std::string& port) {
  namespace fs = std::filesystem;
  std::error_code failure;
  for (auto entry = fs::recursive_directory_iterator(port, failure); entry != fs::recursive_directory_iterator();
       entry.increment(failure)) {
    if (entry->path().extension() == ".mlu") return true;
  }
  return false;
}

base::Result<ExtensionBuild> build_extension(const std::string& project, const std::string& python,
                                             const std::map<std::string, std::string>& environment,
                                             const std::function<void(std::string_view)>& on_output) {
  ExtensionBuild build;
  if (!has_extension(project)) return build;
  base::ProcessSpec spec;
  spec.arguments = {python, "setup.py", "build_ext", "--inplace"};
  spec.working_directory = project;
  // What is noted of a run is of the program, not of its build.
  for (const auto& [name, value] : environment) {
    if (name.rfind("STARBRIDGE_PROBE_", 0) != 0 && name != "STARBRIDGE_DEVICE_REPORT") spec.environment[name] = value;
  }
  // Projects ask these before they build for CUDA where no card is seen.
  spec.environment["FORCE_CUDA"] = "1";
  spec.timeout_ms = kBuildMsMax;
  spec.merge_output = true;
  spec.on_output = on_output;
  SB_TRY(base::ProcessResult process, base::run_process(spec));
  build.wall_ms = process.wall_ms;
  build.state = process.ok() ? ExtensionState::kBuilt : ExtensionState::kFailed;
  if (!process.ok()) {
    const std::string& out = process.out;
    build.tail = base::sanitize_utf8(base::trim(out.substr(out.size() > kTailBytes ? out.size() - kTailBytes : 0)));
  }
  return build;
}

}  // namespace starbridge::verify
