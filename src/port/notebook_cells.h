// NotebookCells: where the code of a Jupyter notebook stands in its JSON text, byte for byte. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::port {

// The code cells joined into one text, and for each of its bytes where it stands in the file.
struct NotebookCells {
  std::string code;
  std::vector<std::uint32_t> raw_of;  // size code.size() + 1: raw offset of each byte, and of the end
};

constexpr int kNotebookDepthMax = 64;

// Magics (% and !) are masked as comments of the same length. Errors: port.malformed_notebook with line and column.
base::Result<NotebookCells> find_notebook_cells(std::string_view json, const std::string& path);

// Text as it is written inside a JSON string.
std::string json_escape(std::string_view text);

}  // namespace starbridge::port
