// What a project already does for other cards: interceptions of CUDA names it imports, branches that tell cards apart. Pure; any
// thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "port/analyze.h"

namespace starbridge::port {

// Interceptions that a file imports, by backend: from torch_npu.contrib import transfer_to_npu.
std::vector<std::pair<std::string, base::Place>> find_shims(const SourceFile& file);
// Of a file's settled sites; `is_one_familys`: its name says that it is one family's own.
BranchCounts count_branches(const python::Sites& sites, const std::string& path, bool is_one_familys);

// Files that are CUDA's own keep their names of devices, see cuda_only.h. `reports` still have their outlines.
void leave_cuda_only(std::vector<FileReport>& reports, const Context& context);
void tell_shims(std::vector<FileReport>& reports, const Context& context, const std::map<std::string, base::Place>& shims);
// A project written for one family that knows the target's in many places is ported already. What names CUDA alone there is about
// CUDA, or was left so on purpose; it is not renamed without being asked for.
void leave_supported(std::vector<FileReport>& reports, const Context& context, const std::string& source_device);

}  // namespace starbridge::port
