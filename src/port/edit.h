// Edits: replacements of byte ranges, applied all together or not at all. Pure; any thread.
// Everything outside the ranges keeps every byte, so that reversing restores the original.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::port {

struct Edit {
  std::size_t begin = 0;  // byte offset in the original
  std::size_t end = 0;    // one past the last replaced byte; begin == end inserts
  std::string replacement;
  std::string rule;  // id of the rule that asked for it

  bool operator==(const Edit&) const = default;
};

// Sorts by position and drops exact repetitions. Two edits that overlap, or two different insertions at one place, are refused.
// Errors: port.edit_overlap, port.edit_out_of_range.
base::Result<std::vector<Edit>> normalize_edits(std::vector<Edit> edits, std::size_t size);

// The edited text. `edits` as normalize_edits returns them.
std::string apply_edits(std::string_view original, const std::vector<Edit>& edits);

// Edits that turn apply_edits(original, edits) back into `original`.
std::vector<Edit> reverse_edits(std::string_view original, const std::vector<Edit>& edits);

}  // namespace starbridge::port
