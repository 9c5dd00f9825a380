// Project: a whole tree scanned for several chips, and ported to one. The door of the room.
// Blocking; any thread. Two threads read files; results do not depend on their order.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "port/analyze.h"
#include "port/tree_scan.h"
#include "port/walk.h"

namespace starbridge::port {

enum class Verdict {
  kRuns,           // as it is
  kRunsAfterPort,  // after the edits `port` makes
  kNeedsWork,      // edits, and findings that someone must settle by hand
  kCannot,         // no PyTorch plug-in is known for the chip
};
std::string_view to_string(Verdict verdict);
base::Text describe(Verdict verdict);

struct ChipReport {
  Target target;
  Verdict verdict = Verdict::kRuns;
  std::size_t edit_count = 0;
  std::size_t edited_file_count = 0;
  std::size_t suppressed_count = 0;
  std::vector<Finding> findings;         // by file and place
  std::vector<NewFile> new_files;        // that the port adds, by path
  std::shared_ptr<const RuleSet> rules;  // the declared rules it was scanned with
  std::size_t count(Severity severity) const;
  // Of any rule that its findings and edits name.
  const Rule* find_rule(std::string_view id) const { return rules != nullptr ? rules->find(id) : port::find_rule(id); }
};

struct ProjectReport {
  std::string root;
  std::size_t file_count = 0;
  std::size_t analyzed_file_count = 0;
  std::size_t line_count = 0;
  std::size_t reused_file_count = 0;  // as an earlier scan found them, see scan_cache.h
  std::map<std::string, std::size_t> files_by_kind;
  CudaInventory cuda;
  ProjectUses uses;
  std::vector<ChipReport> chips;  // as asked for
  std::vector<FileReport> files;  // those with edits or findings, by path
};

// Errors: those of walk_tree; files that cannot be read become findings.
base::Result<ProjectReport> scan_project(const std::string& root, const Context& context, const OnProgress& on_progress = {});

// The version a requirements file of the tree pins torch to, "2.7.1"; empty when none does.
std::string find_torch_version(const std::string& root, const std::vector<TreeEntry>& entries);

}  // namespace starbridge::port
