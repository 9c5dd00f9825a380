#include "pool/emulated_device.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "catalog/device_profile.h"

namespace starbridge::pool {
namespace {

using base::Error;
using base::text;

constexpr const char* kTorchVersion = "2.13.0";

std::string join_indices(const std::vector<int>& indices) {
  std::string joined;
  for (int index : indices) joined += (joined.empty() ? "" : ",") + std::to_string(index);
  return joined;
}

// Puts `value` before what the variable holds already.
std::string in_front_of(const char* variable, const std::string& value) {
  const char* before = std::getenv(variable);
  return before == nullptr || *before == '\0' ? value : value + ":" + before;
}

// Changes when a source of the emulated device, the Python or its PyTorch does: names, sizes and times of the files.
std::string source_stamp(const std::string& root, const std::string& python) {
  namespace fs = std::filesystem;
  std::vector<std::string> lines = {python};
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root + "/python/emulated", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "__pycache__") entry.disable_recursion_pending();
    if (!entry->is_regular_file(error)) continue;
    lines.push_back(fmt::format("{} {} {}", entry->path().string(), entry->file_size(error),
                                entry->last_write_time(error).time_since_epoch().count()));
  }
  std::sort(lines.begin() + 1, lines.end());
  return base::sha256_hex(fmt::format("{}", fmt::join(lines, "\n")));
}

// The folder with the compiled extension; python/emulated/build.py knows where it is and builds it when it must. Starting Python
// for that takes longer than everything else a submit does, so its last answer is kept while no source has changed.
base::Result<std::string> extension_folder(const std::string& root, const std::string& python) {
  std::string stamp = source_stamp(root, python);
  std::string memo_path = base::cache_directory() + "/emulated/last-path";
  base::Result<std::string> memo = base::read_file(memo_path);
  if (memo.ok() && memo->substr(0, stamp.size() + 1) == stamp + "\n") {
    std::string folder = memo->substr(stamp.size() + 1);
    if (std::filesystem::is_directory(folder)) return folder;
  }
  base::ProcessSpec spec;
  spec.arguments = {python, root + "/python/emulated/build.py", "--print-path"};
  spec.timeout_ms = 600'000;
  SB_TRY(base::ProcessResult built, base::run_process(spec));
  std::string folder(base::trim(built.out));
  if (built.ok() && !folder.empty()) {
    // Only a memory: without it the next call asks again.
    (void)base::write_file_atomically(memo_path, stamp + "\n" + folder);
    return folder;
  }
  return Error("pool.no_emulated_device",
               text("the emulated device could not be built: {}", "仿真设备构建失败：{}",
                    base::sanitize_utf8(built.err.substr(built.err.size() > 400 ? built.err.size() - 400 : 0))))
      .next(text("run ./quickstart, or python/emulated/build.py to see why",
                 "请运行 ./quickstart，或运行 python/emulated/build.py 查看原因"));
}

}  // namespace

base::Result<std::string> torch_python() {
  std::string python = base::cache_directory() + "/venv-torch-" + kTorchVersion + "/bin/python";
  if (::access(python.c_str(), X_OK) == 0) return python;
  return Error("pool.no_emulated_device",
               text("PyTorch for the emulated devices is not installed", "仿真设备所需的 PyTorch 尚未安装"))
      .at(python)
      .next(text("run ./quickstart or tools/torch_venv", "请运行 ./quickstart 或 tools/torch_venv"));
}

base::Result<std::map<std::string, std::string>> device_environment(const DeviceRequest& request) {
  const catalog::Stack& stack = *request.chip.stack;
  std::map<std::string, std::string> environment;
  environment[stack.visible_devices_env()] = join_indices(request.indices);
  environment["STARBRIDGE_CHIP"] = request.chip.id;
  if (!request.is_emulated) return environment;

  SB_TRY(std::string root, base::installation_root());
  SB_TRY(std::string python, torch_python());
  environment["PATH"] = in_front_of("PATH", std::filesystem::path(python).parent_path().string());
  environment["STARBRIDGE_EMULATED"] = "1";
  // Extensions with kernels are built by this program.
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && self.filename() == "starbridge") environment["STARBRIDGE_PROGRAM"] = self.string();
  int count = 0;
  for (int index : request.indices) count = std::max(count, index + 1);
  if (stack.keeps_torch_cuda() || stack.backend == "cuda") {
    environment["PYTHONPATH"] = in_front_of("PYTHONPATH", root + "/python/reference");
    environment["STARBRIDGE_REFERENCE"] = "1";
    environment["STARBRIDGE_REFERENCE_DEVICE_COUNT"] = std::to_string(count);
    environment["STARBRIDGE_REFERENCE_DEVICE_NAME"] = request.chip.name + " (emulated)";
    environment["STARBRIDGE_REFERENCE_MEMORY_BYTES"] = std::to_string(request.chip.memory_bytes().value_or(0));
    return environment;
  }
  if (stack.backend != "npu" && stack.backend != "mlu") {
    return Error("pool.no_emulated_device", text("there is no emulated device for {}", "{} 没有仿真设备", request.chip.name))
        .next(text("choose an Ascend, Cambricon or NVIDIA chip", "请选择昇腾、寒武纪或英伟达芯片"));
  }
  SB_TRY(catalog::ApiTable table, catalog::ApiTable::load(root + "/data"));
  SB_TRY(base::Json profile, catalog::device_profile(request.chip, table, {count, {}}));
  std::string profile_path = request.folder + "/device-profile.json";
  SB_TRY_VOID(base::write_file_atomically(profile_path, base::to_string(profile) + "\n"));
  SB_TRY(std::string extension, extension_folder(root, python));
  environment["PYTHONPATH"] = in_front_of("PYTHONPATH", extension + ":" + root + "/python/extensions");
  environment["STARBRIDGE_DEVICE_PROFILE"] = profile_path;
  if (!request.report_path.empty()) environment["STARBRIDGE_DEVICE_REPORT"] = request.report_path;
  return environment;
}

}  // namespace starbridge::pool
