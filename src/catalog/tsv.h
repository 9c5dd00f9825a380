// TSV tables with a header line: one fact per row, located errors, no quoting. Cells may not hold tabs or line ends.
// Pure; any thread. Cells are views into the text that was parsed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::catalog {

struct TsvRow {
  std::vector<std::string_view> cells;
  int line = 0;
};

// Calls `take` for each row after the header; empty lines are refused. The header must be exactly `columns`.
// Errors: catalog.bad_data at file:line, or the error `take` returns.
base::Status read_tsv(std::string_view content, const std::string& file, const std::vector<std::string_view>& columns,
                      const std::function<base::Status(const TsvRow&)>& take);

// catalog.bad_data at file:line (field).
base::Error bad_data(const std::string& file, int line, std::string field, base::Text message);

}  // namespace starbridge::catalog
