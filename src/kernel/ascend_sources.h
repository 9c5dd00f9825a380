// What the build of an Ascend C program makes besides its sources: headers that launch a kernel by name. Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

// Writes aclrtlaunch_NAME.h for every kernel of the sources into a folder inside `folder`; returns that folder.
// Errors: those of writing.
base::Result<std::string> write_launchers(const std::vector<std::string>& sources, const std::string& folder);

}  // namespace starbridge::kernel
