// Report: what a scan found, with the lines it is about, ready to be shown in any form. The door of the room.
// Plain values after build; building reads the files that have edits or findings. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "port/project.h"
#include "port/rules.h"
#include "report/precision.h"
#include "report/score.h"

namespace starbridge::report {

// One edit with its place in lines. Columns count code points from 1.
struct Change {
  std::string rule;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  std::size_t begin = 0;  // bytes of the original
  std::size_t end = 0;
  std::string replacement;
};

// The lines an edit touches, before and after all edits of the file.
struct LineChange {
  int line = 0;  // first line, from 1
  std::string before;
  std::string after;
};

struct Item {
  port::Finding finding;
  port::Effort effort = port::Effort::kNone;
  port::Confidence confidence = port::Confidence::kCertain;
  std::string line_text;    // the line it stands on, without the line end; UTF-8
  std::string fingerprint;  // the same while the line's text, its file and the rule stay, wherever the line moves to
  bool is_known = false;    // in the baseline
  port::Reach reach = port::Reach::kUnknown;
  std::string reached_from;  // the program, test or build script that leads to it first
  bool is_hot = false;       // its line runs once per step of training or inference
};

struct ChangedFile {
  std::string path;
  std::vector<Change> changes;
  std::vector<LineChange> lines;
};

struct ChipSection {
  const port::ChipReport* chip = nullptr;
  std::vector<Item> items;         // as chip->findings
  std::vector<ChangedFile> files;  // those with edits
  Score score;
  PrecisionPlan precision;
};

struct Report {
  const port::ProjectReport* project = nullptr;
  std::vector<ChipSection> chips;
};

// What is worth saying of where an item stands: "once per step", "only tests lead there"; empty for most.
base::Text describe_reach(const Item& item);
// 0 for what a program runs once per step, 1 for what programs lead to or whose reach is not known, 2 for what nothing leads to,
// 3 for tests.
int reach_rank(const Item& item);
// By reach_rank; stable.
std::vector<const Item*> by_reach(const std::vector<Item>& items);

// `project` must outlive the report. Files that have gone meanwhile are shown without their lines. Without `precision` there are
// no precision plans.
Report build_report(const port::ProjectReport& project, const catalog::PrecisionRules* precision = nullptr);

}  // namespace starbridge::report
