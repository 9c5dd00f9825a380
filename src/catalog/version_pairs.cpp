#include "catalog/version_pairs.h"

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {

using base::text;

base::Result<VersionPairs> VersionPairs::load(const std::string& data_dir) {
  VersionPairs pairs;
  std::string path = data_dir + "/compat/version_pairs.tsv";
  SB_TRY(std::string content, base::read_file(path));
  const std::vector<std::string_view> columns = {"package", "version", "needs", "needs_version", "backend", "source"};
  SB_TRY_VOID(read_tsv(content, path, columns, [&](const TsvRow& row) -> base::Status {
    for (std::size_t index = 0; index < columns.size(); ++index) {
      if (row.cells[index].empty())
        return bad_data(path, row.line, std::string(columns[index]), text("this cell may not be empty", "此单元格不能为空"));
    }
    pairs.rows_.push_back({std::string(row.cells[0]), std::string(row.cells[1]), std::string(row.cells[2]),
                           std::string(row.cells[3]), std::string(row.cells[4]), std::string(row.cells[5])});
    return {};
  }));
  return pairs;
}

std::vector<const VersionPair*> VersionPairs::of(std::string_view package, std::string_view backend) const {
  std::vector<const VersionPair*> found;
  for (const VersionPair& row : rows_) {
    if (row.package == package && (row.backend == "*" || row.backend == backend)) found.push_back(&row);
  }
  return found;
}

}  // namespace starbridge::catalog
