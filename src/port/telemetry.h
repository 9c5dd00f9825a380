// Telemetry: what starbridge_torch saw at run time, joined with what the scan found in the sources. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "port/project.h"

namespace starbridge::port {

struct RuntimeCall {
  std::string file;  // absolute
  int line = 0;
  std::string name;  // "torch.zeros", "Tensor.cuda", "torch.device.type"
  std::size_t count = 0;
};

// Schema starbridge.torch_telemetry/1. Errors: those of reading JSON, port.bad_telemetry.
base::Result<std::vector<RuntimeCall>> read_telemetry(const std::string& path);

struct TelemetrySummary {
  std::size_t call_count = 0;     // intercepted calls in files of the project
  std::size_t line_count = 0;     // lines they stand on
  std::size_t unseen_count = 0;   // of these, lines where the scan found nothing
  std::size_t outside_count = 0;  // calls in other files: packages, the standard library
};

// Adds a finding for each line that used a device at run time and that the scan says nothing about, for every chip of the report.
TelemetrySummary join_telemetry(ProjectReport& report, const std::vector<RuntimeCall>& calls);

}  // namespace starbridge::port
