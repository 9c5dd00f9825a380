// Extension: a .cu source of a PyTorch extension as the sources of its port: kernels for the vendor's compiler with entries that take
// plain values (NAME.mlu), host code for the C++ compiler (NAME.cpp) with the launches in CUDA's terms, and the entries' declarations
// between them (NAME_launch.h). Any thread; port_extension_source blocks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/port/port.h"

namespace starbridge::kernel::port {

struct ExtensionFile {
  std::string path;  // beside the .cu source, as "name.mlu"
  std::string content;
};

// A combination of template arguments that the chip cannot have; its launcher throws when it is reached.
struct LeftOut {
  std::string kernel;
  base::Place place;
  base::Text reason;
};

struct ExtensionPort {
  PortReport report;
  std::vector<ExtensionFile> files;  // kernels, host code, declarations, and headers that had to change
  std::vector<LeftOut> left_out;
};

// `host_name`: of the host source, "add_relu.cpp". Errors: those of port_kernels; kernel.cannot_port when a launched kernel cannot be
// had for any of its types, or host code has no counterpart.
base::Result<ExtensionPort> port_extension_source(const PortRequest& request, const std::string& host_name);

struct HostEdit {
  std::size_t begin, end;
  std::string text;
};
// What host code of an extension says about CUDA, said about the MLU: devices, keys, streams, guards, checks, headers. By position.
std::vector<HostEdit> extension_edits(const std::string& source);

}  // namespace starbridge::kernel::port
