// Baseline: findings that are known and accepted, so that only new ones count; and lines changed since a revision.
// Blocking; any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"

namespace starbridge::report {

// Writes the fingerprints of all findings, by chip, as JSON.
base::Status write_baseline(const Report& report, const std::string& path);
// Marks the findings that the baseline knows. Errors: base.file_not_found, base.malformed_json, report.wrong_baseline.
base::Status apply_baseline(Report& report, const std::string& path);

// Lines added or changed since a revision, by file relative to `root`; files new to git count whole.
struct ChangedLines {
  std::map<std::string, std::vector<std::pair<int, int>>> ranges;  // first and last line
  std::set<std::string> whole_files;
  bool contains(const std::string& file, int line) const;
};
// Asks git. Errors: report.no_repository, report.unknown_revision.
base::Result<ChangedLines> changed_since(const std::string& root, const std::string& revision);
// Reads the output of `git diff --unified=0`; for tests.
ChangedLines parse_diff(const std::string& diff);
// Marks the findings elsewhere as known.
void keep_changed_lines(Report& report, const ChangedLines& changed);

}  // namespace starbridge::report
