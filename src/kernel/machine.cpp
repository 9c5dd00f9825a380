#include "kernel/machine.h"

#include <algorithm>
#include <filesystem>

namespace starbridge::kernel {

const std::vector<Machine>& machines() {
  static const std::vector<Machine> table = {
      {"cuda", ".cu", ".cuh", "cuda_runtime.h", "", R"(\b((?:cuda|cublas|curand|__)[A-Za-z_]\w*))", "a100"},
      {"bang", ".mlu", ".mluh", "bang.h", "bang-", R"(\b((?:cnrt|cndrv|cn|CNRT_|__)[A-Za-z_]\w*))", "mlu370-x8"},
  };
  return table;
}

const Machine& cuda_machine() { return machines()[0]; }

const Machine* machine_of_source(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  auto found = std::find_if(machines().begin(), machines().end(), [&](const Machine& machine) {
    return extension == machine.extension || extension == machine.header_extension;
  });
  return found == machines().end() ? nullptr : &*found;
}

}  // namespace starbridge::kernel
