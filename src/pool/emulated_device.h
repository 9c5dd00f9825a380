// EmulatedDevice: the environment in which a process finds emulated cards. Blocking; any thread.
// NPU and MLU cards are the emulated PyTorch device (python/emulated); NVIDIA cards, and chips that keep the torch.cuda names,
// are the reference runner (python/reference), which maps the CUDA names to the CPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace starbridge::pool {

struct DeviceRequest {
  const catalog::Chip& chip;
  std::vector<int> indices;  // cards of the chip the process may see, e.g. {0, 1}
  bool is_emulated = true;   // a real card needs the visible-devices variable only
  std::string folder;        // where the device profile is written; must exist
  std::string report_path;   // where the emulated device leaves its counters; empty: nowhere
};

// Variables to set. Errors: pool.no_emulated_device (with the command that builds what is missing), base.* of writing.
base::Result<std::map<std::string, std::string>> device_environment(const DeviceRequest& request);

// The Python of the project's own virtual environment. Error: pool.no_emulated_device when tools/torch_venv has not run.
base::Result<std::string> torch_python();

}  // namespace starbridge::pool
