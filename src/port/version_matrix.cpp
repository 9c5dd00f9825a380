#include "port/version_matrix.h"

#include <algorithm>

namespace starbridge::port {

using catalog::StackVersion;

StackRows rows_for_torch(const catalog::Stack& stack, const VersionRange& torch) {
  StackRows rows;
  for (const StackVersion& row : stack.versions) {
    std::optional<Version> version = parse_version(row.torch);
    if (version && torch.allows(*version)) rows.push_back(&row);
  }
  return rows;
}

const StackVersion* best_row(const StackRows& rows) {
  auto recommended = std::find_if(rows.begin(), rows.end(), [](const StackVersion* row) { return row->is_recommended; });
  if (recommended != rows.end()) return *recommended;
  return rows.empty() ? nullptr : rows.front();
}

std::string_view toolkit_version(const StackVersion& row) {
  std::string_view toolkit = row.toolkit;
  std::size_t blank = toolkit.rfind(' ');
  return blank == std::string_view::npos ? toolkit : toolkit.substr(blank + 1);
}

std::string describe_rows(const StackRows& rows, std::string_view plugin, std::size_t count) {
  std::string all;
  std::vector<std::string_view> told;
  for (const StackVersion* row : rows) {
    if (std::find(told.begin(), told.end(), row->torch) != told.end()) continue;
    if (told.size() == count) return all + "; ...";
    told.push_back(row->torch);
    std::string beside = row->toolkit;
    if (!row->python.empty()) beside += (beside.empty() ? "Python " : ", Python ") + row->python;
    all += (all.empty() ? "torch " : "; torch ") + row->torch + " + " + std::string(plugin) + " " + row->plugin;
    if (!beside.empty()) all += " (" + beside + ")";
  }
  return all;
}

}  // namespace starbridge::port
