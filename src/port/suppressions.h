// Suppressions: remarks in a file that silence the port on a line: no finding, no edit.
//   x = "cuda"  # starbridge: ignore
//   # starbridge: ignore[device-text,api-limited] until 2027-06-30: the vendor's next release has it
// A remark alone on its line holds for the next line. `ignore-file` holds for the whole file. After its date a remark
// silences nothing and is a finding itself. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "port/declared/rule_set.h"
#include "port/edit.h"
#include "port/finding.h"
#include "port/source_file.h"

namespace starbridge::port {

class Suppressions {
 public:
  // `today` as YYYY-MM-DD; empty: dates are not looked at.
  // `rules`: declared ones, whose names may stand in remarks; may be null.
  Suppressions(const SourceFile& file, const std::string& today, const RuleSet* rules = nullptr);

  bool empty() const { return remarks_.empty(); }
  // Those of `rules` that are silenced on a line, for findings that are made later.
  std::vector<std::string_view> silenced(int line, std::span<const std::string_view> rules) const;
  // Removes what is silenced and adds findings on remarks that are expired or cannot be read. Returns how many were removed.
  std::size_t apply(const LineIndex& lines, std::vector<Edit>& edits, std::vector<Finding>& findings) const;

 private:
  struct Remark {
    int line = 0;                    // the line it stands on
    int for_line = 0;                // the line it silences; 0: the whole file
    std::vector<std::string> rules;  // empty: all
    std::string until;
    bool is_expired = false;
    std::string mistake;  // what cannot be read
  };
  bool silences(int line, std::string_view rule) const;

  std::string path_;
  std::vector<Remark> remarks_;
};

}  // namespace starbridge::port
