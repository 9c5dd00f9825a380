// Kernels of a project's PyTorch extensions, ported with the project: new sources beside the .cu ones, build script and host code
// edited. Blocking: each .cu source is read by Clang.
#pragma once

#include "port/project.h"

namespace starbridge::cli {

// Adds edits, new files and findings to the report of a project scanned for exactly one chip by `context`; where kernels go, the
// project is scanned anew with its build scripts. A source that cannot be ported keeps its finding, which then says why and
// where. Does nothing for chips without a kernel porter, and says so in the finding when Clang or PyTorch's headers are missing.
// Errors: those of scan_project.
base::Status port_extensions(port::ProjectReport& project, port::Context& context, const port::OnProgress& on_progress = {});

}  // namespace starbridge::cli
