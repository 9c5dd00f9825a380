#include "catalog/name_map.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {
namespace {

using base::Result;
using base::Status;
using base::text;

constexpr std::array<std::string_view, 6> kStatusNames = {"same", "renamed", "changed", "none", "keep", "unknown"};

Result<MapStatus> read_status(std::string_view word, const std::string& file, int line) {
  if (std::optional<MapStatus> status = map_status_from_name(word)) return *status;
  return bad_data(file, line, "status",
                  text("same, renamed, changed, none, keep or unknown was expected, not \"{}\"",
                       "此处应为 same、renamed、changed、none、keep 或 unknown，而不是“{}”", base::sanitize_utf8(word)));
}

// A target is there exactly when the status promises one.
Status check_target(MapStatus status, std::string_view target, const std::string& file, int line) {
  bool needs = status == MapStatus::kSame || status == MapStatus::kRenamed;
  bool refuses = status == MapStatus::kNoCounterpart || status == MapStatus::kUnknown;
  if (needs && target.empty())
    return bad_data(file, line, "target", text("a renamed name needs a target", "改名需要给出目标名称"));
  if (refuses && !target.empty()) {
    return bad_data(file, line, "target", text("a name without a counterpart has no target", "没有对应物的名称不应有目标"));
  }
  return {};
}

Status need(std::string_view value, std::string_view column, const std::string& file, int line) {
  if (!value.empty()) return {};
  return bad_data(file, line, std::string(column), text("the cell is empty", "单元格为空"));
}

std::string fold_package(std::string_view name) {
  std::string folded = base::to_lower(name);
  std::replace(folded.begin(), folded.end(), '_', '-');
  std::replace(folded.begin(), folded.end(), '.', '-');
  return folded;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    std::size_t end = list.find(separator);
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

}  // namespace

std::optional<MapStatus> map_status_from_name(std::string_view name) {
  for (std::size_t index = 0; index < kStatusNames.size(); ++index) {
    if (kStatusNames[index] == name) return static_cast<MapStatus>(index);
  }
  return std::nullopt;
}

std::string_view to_string(MapStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

base::Status NameMap::read(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path));
  std::size_t first = rows_.size();
  return read_tsv(content, path, {"name", "backend", "kind", "status", "target", "note", "source"},
                  [&](const TsvRow& row) -> Status {
                    SB_TRY(MapStatus status, read_status(row.cells[3], path, row.line));
                    SB_TRY_VOID(check_target(status, row.cells[4], path, row.line));
                    SB_TRY_VOID(need(row.cells[6], "source", path, row.line));
                    NameRow entry{std::string(row.cells[0]), std::string(row.cells[1]), std::string(row.cells[2]), status,
                                  std::string(row.cells[4]), std::string(row.cells[5]), std::string(row.cells[6])};
                    auto [place, is_new] = index_.emplace(std::pair(entry.backend, entry.name), rows_.size());
                    if (!is_new && place->second >= first) {
                      return bad_data(path, row.line, "name", text("\"{}\" stands twice", "“{}”重复", entry.name));
                    }
                    if (is_new) rows_.push_back(std::move(entry));  // a row of an earlier file wins
                    return {};
                  });
}

Result<NameMap> NameMap::load(const std::string& data_dir) {
  NameMap map;
  SB_TRY_VOID(map.read(data_dir + "/compat/names.tsv"));
  SB_TRY_VOID(map.read(data_dir + "/compat/names_generated.tsv"));
  return map;
}

NameRow NameMap::find(std::string_view name, std::string_view backend) const {
  std::string owner(name);
  while (!owner.empty()) {
    auto found = index_.find(std::pair(std::string(backend), owner));
    if (found != index_.end()) {
      NameRow row = rows_[found->second];
      if (owner.size() == name.size()) return row;
      row.name = std::string(name);
      if (row.kind == "module")
        return {std::string(name), std::string(backend), "attribute", MapStatus::kUnknown, "", "not_listed", row.source};
      if (!row.target.empty()) row.target += name.substr(owner.size());
      return row;
    }
    std::size_t dot = owner.rfind('.');
    owner.resize(dot == std::string::npos ? 0 : dot);
  }
  return {std::string(name), std::string(backend), "attribute", MapStatus::kUnknown, "", "not_listed", ""};
}

Result<EnvMap> EnvMap::load(const std::string& data_dir) {
  EnvMap map;
  std::string path = data_dir + "/compat/env.tsv";
  SB_TRY(std::string content, base::read_file(path));
  Status status =
      read_tsv(content, path, {"name", "backend", "status", "target", "note", "source"}, [&](const TsvRow& row) -> Status {
        SB_TRY(MapStatus meaning, read_status(row.cells[2], path, row.line));
        SB_TRY_VOID(check_target(meaning, row.cells[3], path, row.line));
        SB_TRY_VOID(need(row.cells[5], "source", path, row.line));
        if (map.find(row.cells[0], row.cells[1]) != nullptr) {
          return bad_data(path, row.line, "name", text("\"{}\" stands twice", "“{}”重复", row.cells[0]));
        }
        map.rows_.push_back({std::string(row.cells[0]), std::string(row.cells[1]), meaning, std::string(row.cells[3]),
                             std::string(row.cells[4]), std::string(row.cells[5])});
        return {};
      });
  SB_TRY_VOID(status);
  return map;
}

const EnvRow* EnvMap::find(std::string_view name, std::string_view backend) const {
  for (const EnvRow& row : rows_) {
    if (row.name == name && row.backend == backend) return &row;
  }
  return nullptr;
}

Result<LibraryMap> LibraryMap::load(const std::string& data_dir) {
  LibraryMap map;
  std::string path = data_dir + "/compat/packages.tsv";
  SB_TRY(std::string content, base::read_file(path));
  Status status =
      read_tsv(content, path, {"package", "imports", "backend", "status", "replacement", "note", "source"},
               [&](const TsvRow& row) -> Status {
                 constexpr std::array<std::string_view, 5> kKnown = {"ported", "replaced", "partial", "none", "neutral"};
                 if (std::find(kKnown.begin(), kKnown.end(), row.cells[3]) == kKnown.end()) {
                   return bad_data(path, row.line, "status",
                                   text("ported, replaced, partial, none or neutral was expected",
                                        "此处应为 ported、replaced、partial、none 或 neutral"));
                 }
                 SB_TRY_VOID(need(row.cells[1], "imports", path, row.line));
                 SB_TRY_VOID(need(row.cells[6], "source", path, row.line));
                 if (row.cells[3] == "replaced") SB_TRY_VOID(need(row.cells[4], "replacement", path, row.line));
                 if (map.find_package(row.cells[0], row.cells[2]) != nullptr) {
                   return bad_data(path, row.line, "package", text("\"{}\" stands twice", "“{}”重复", row.cells[0]));
                 }
                 map.rows_.push_back({std::string(row.cells[0]), split(row.cells[1], ';'), std::string(row.cells[2]),
                                      std::string(row.cells[3]), std::string(row.cells[4]), std::string(row.cells[5]),
                                      std::string(row.cells[6])});
                 for (const std::string& import : map.rows_.back().imports)
                   map.rows_of_import_[import].push_back(map.rows_.size() - 1);
                 return {};
               });
  SB_TRY_VOID(status);
  return map;
}

const LibraryRow* LibraryMap::find_package(std::string_view package, std::string_view backend) const {
  std::string wanted = fold_package(package);
  for (const LibraryRow& row : rows_) {
    if (row.backend == backend && fold_package(row.package) == wanted) return &row;
  }
  return nullptr;
}

const LibraryRow* LibraryMap::find_import(std::string_view module, std::string_view backend) const {
  // The longest module that holds it decides: "a.b.c", "a.b", "a".
  for (std::string_view outer = module;; outer = outer.substr(0, outer.rfind('.'))) {
    if (auto found = rows_of_import_.find(outer); found != rows_of_import_.end()) {
      for (std::size_t row : found->second) {
        if (rows_[row].backend == backend) return &rows_[row];
      }
    }
    if (outer.find('.') == std::string_view::npos) return nullptr;
  }
}

}  // namespace starbridge::catalog
