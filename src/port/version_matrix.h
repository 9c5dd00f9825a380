// VersionMatrix: which PyTorch, plug-in, toolkit and Python go together on a stack, asked for in the ways the rules need. Pure;
// any thread; the rows stay owned by the catalogue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/chip.h"
#include "port/versions.h"

namespace starbridge::port {

using StackRows = std::vector<const catalog::StackVersion*>;

// Rows whose PyTorch the range allows, as listed: newest toolkit first.
StackRows rows_for_torch(const catalog::Stack& stack, const VersionRange& torch);
// The best of them: the recommended one, else the first; nullptr of none.
const catalog::StackVersion* best_row(const StackRows& rows);
// "8.5.0" of "CANN 8.5.0"; the word as it is when it names no version.
std::string_view toolkit_version(const catalog::StackVersion& row);
// One row for each PyTorch: "torch 2.7.1 + torch_npu 2.7.1.post8 (CANN 9.1.0, Python 3.9-3.13)", at most `count`, "; " between.
std::string describe_rows(const StackRows& rows, std::string_view plugin, std::size_t count);

}  // namespace starbridge::port
