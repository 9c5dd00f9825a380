#include "pool/emulated_device.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
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

// The folder with the compiled extension; python/emulated/build.py knows where it is and builds it when it must.
base::Result<std::string> extension_folder(const std::string& root, const std::string& python) {
  base::ProcessSpec spec;
  spec.arguments = {python, root + "/python/emulated/build.py", "--print-path"};
  spec.timeout_ms = 600'000;
  SB_TRY(base::ProcessResult built, base::run_process(spec));
  std::string folder(base::trim(built.out));
  if (built.ok() && !folder.empty()) return folder;
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
  environment["PYTHONPATH"] = in_front_of("PYTHONPATH", extension);
  environment["STARBRIDGE_DEVICE_PROFILE"] = profile_path;
  if (!request.report_path.empty()) environment["STARBRIDGE_DEVICE_REPORT"] = request.report_path;
  return environment;
}

}  // namespace starbridge::pool
