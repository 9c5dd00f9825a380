#include "catalog/tsv.h"

#include <algorithm>

namespace starbridge::catalog {
namespace {

using base::text;

void split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    std::size_t tab = line.find('\t');
    cells.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

std::string join(const std::vector<std::string_view>& columns) {
  std::string all;
  for (std::string_view column : columns) all += (all.empty() ? "" : ", ") + std::string(column);
  return all;
}

base::Error wrong_header(const std::vector<std::string_view>& found, const std::string& file,
                         const std::vector<std::string_view>& columns) {
  for (std::string_view name : found) {
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) continue;
    return bad_data(file, 1, base::sanitize_utf8(name), text("unknown column", "未知列"))
        .next(text("columns are: {}", "各列应为：{}", join(columns)));
  }
  return bad_data(file, 1, {}, text("the columns must be: {}", "各列应为：{}", join(columns)));
}

}  // namespace

base::Error bad_data(const std::string& file, int line, std::string field, base::Text message) {
  return base::Error("catalog.bad_data", std::move(message)).at(base::Place{file, line, 0, std::move(field)});
}

base::Status read_tsv(std::string_view content, const std::string& file, const std::vector<std::string_view>& columns,
                      const std::function<base::Status(const TsvRow&)>& take) {
  TsvRow row;
  while (!content.empty()) {
    std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    ++row.line;
    split(line, row.cells);
    if (row.line == 1) {
      if (row.cells != columns) return wrong_header(row.cells, file, columns);
      continue;
    }
    if (row.cells.size() != columns.size()) {
      return bad_data(file, row.line, {},
                      text("{} cells were expected, {} found", "应有 {} 个单元格，实有 {} 个", columns.size(), row.cells.size()));
    }
    SB_TRY_VOID(take(row));
  }
  if (row.line == 0) return bad_data(file, 1, {}, text("the table has no header", "表格没有表头"));
  return {};
}

}  // namespace starbridge::catalog
