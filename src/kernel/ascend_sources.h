// What the build of an Ascend C program makes besides its sources: headers that launch a kernel or call an operator by name, and the
// tiling data of an operator as its kernel sees it. Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

// Writes aclrtlaunch_KERNEL.h for every kernel of the sources, aclnn_OPERATOR.h for every operator and tiling_of_STEM.h for every source
// with kernels, into a folder inside `folder`; returns that folder. Errors: those of writing.
base::Result<std::string> write_launchers(const std::vector<std::string>& sources, const std::string& folder);
// The header with the tiling data for the kernels of `source`.
std::string tiling_header_of(const std::string& launchers, const std::string& source);
// "AddCustom" as its files are called: "add_custom".
std::string snake_case(const std::string& name);

}  // namespace starbridge::kernel
