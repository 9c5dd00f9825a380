// KernelFinding: one thing the emulated card found wrong in a program, with places in the user's source. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "base/text.h"
#include "kernel/toolchain.h"

namespace starbridge::kernel {

// One end of a finding.
struct FindingSide {
  base::Place place;  // empty when unknown
  std::string function;
  std::string block;  // "x,y,z"; empty on the host
  std::string thread;
  std::string task;  // of a BANG C kernel: "3"; empty on the host
  std::string core;  // "cluster.core", "cluster.memory" for the memory core
  bool is_write = false;
};

struct KernelFinding {
  std::string rule;
  base::Text message;
  std::string kernel;
  FindingSide side;
  std::optional<FindingSide> other;
  std::uint64_t count = 1;
  bool is_error = true;  // false: a remark that does not make the program wrong
};

// Reads what the runtime wrote (one JSON object per line), turns addresses into places and merges findings of one rule and place.
// A missing file gives no findings. Errors: those of reading.
base::Result<std::vector<KernelFinding>> read_findings(const Toolchain& toolchain, const std::string& path);

base::Json to_json(const KernelFinding& finding, base::Language language);
// SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/
base::Json to_sarif(const std::vector<KernelFinding>& findings, base::Language language, const std::string& version);

}  // namespace starbridge::kernel
