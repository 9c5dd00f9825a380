// Unified diffs made straight from edits. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/edit.h"

namespace starbridge::port {

// A patch of one file that `patch -p1` and `git apply` accept, three lines of context; empty when nothing changes.
// `edits` as normalize_edits returns them.
std::string unified_diff(std::string_view path, std::string_view original, const std::vector<Edit>& edits);

// The same for a file that is added.
std::string new_file_diff(std::string_view path, std::string_view bytes);

}  // namespace starbridge::port
