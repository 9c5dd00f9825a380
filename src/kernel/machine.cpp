#include "kernel/machine.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace starbridge::kernel {

const std::vector<Machine>& machines() {
  static const std::vector<Machine> table = {
      {"cuda", ".cu", ".cuh", "cuda_runtime.h", "", R"(\b((?:cuda|cublas|curand|__)[A-Za-z_]\w*))", "a100"},
      {"bang", ".mlu", ".mluh", "bang.h", "bang-", R"(\b((?:cnrt|cndrv|cn|CNRT_|__)[A-Za-z_]\w*))", "mlu370-x8"},
      {"ascend", ".asc", ".asch", "kernel_operator.h", "ascend-", R"(\b((?:acl|ACL|__)?[A-Za-z_]\w{2,}))", "ascend-910b3"},
  };
  return table;
}

const Machine& cuda_machine() { return machines()[0]; }

namespace {
bool mentions_aicore(const std::string& path) {
  base::Result<std::string> content = base::read_file(path);
  return content.ok() && (content->find("__aicore__") != std::string::npos || content->find("kernel_operator.h") != std::string::npos);
}
}  // namespace

const Machine* machine_of_source(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  auto found = std::find_if(machines().begin(), machines().end(), [&](const Machine& machine) {
    return extension == machine.extension || extension == machine.header_extension;
  });
  if (found != machines().end()) return &*found;
  // Kernels of Ascend C live in .cpp files.
  return extension == ".cpp" && mentions_aicore(path) ? &machines()[2] : nullptr;
}

}  // namespace starbridge::kernel
