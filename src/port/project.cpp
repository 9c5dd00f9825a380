#include "port/project.h"

#include <algorithm>

#include "base/files.h"
#include "port/already_ported.h"
#include "port/preflight.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::size_t kHelperBytesMax = 1UL << 20;

PortableLayout layout_of(const std::string& root, const std::vector<const TreeEntry*>& files) {
  std::vector<std::string> paths;
  std::vector<std::string> helpers;
  for (const TreeEntry* entry : files) {
    paths.push_back(entry->path);
    bool may_be_helper = entry->path.find(kHelperName) != std::string::npos && entry->size <= kHelperBytesMax;
    if (!may_be_helper) continue;
    base::Result<std::string> bytes = base::read_file(root + "/" + entry->path);
    if (bytes.ok() && is_portable_helper(*bytes)) helpers.push_back(entry->path);
  }
  return PortableLayout(paths, helpers);
}

// What several files asked for is added once; what is there already is left alone.
void add_new_files(ChipReport& chip, const TargetResult& result, const PortableLayout& layout) {
  for (const NewFile& file : result.new_files) {
    bool is_known =
        std::any_of(chip.new_files.begin(), chip.new_files.end(), [&](const NewFile& other) { return other.path == file.path; });
    if (!is_known && !layout.has_file(file.path)) chip.new_files.push_back(file);
  }
}

std::vector<FileReport> run_with_cache(TreeScan& scan, const std::string& root, bool is_single_file, const Context& context,
                                       const OnProgress& on_progress) {
  std::string key = context.uses_cache && !is_single_file ? scan_key(root, context) : "";
  if (key.empty()) return scan.run(on_progress);
  scan.keep_snapshot();
  std::optional<std::vector<FileReport>> reports;
  if (std::optional<ScanSnapshot> known = load_snapshot(root, key)) reports = scan.run_since(*known);
  if (!reports) reports = scan.run(on_progress);
  if (!scan.snapshot().empty()) save_snapshot(root, key, scan.snapshot());
  return std::move(*reports);
}

void add_reach(std::vector<FileReport>& reports) {
  ReachInput input;
  std::vector<FileReport*> files;
  for (FileReport& report : reports) {
    if (report.kind == FileKind::kPython || report.kind == FileKind::kNotebook) {
      if (report.kind == FileKind::kNotebook) report.outline.has_main = true;
      input.paths.push_back(report.path);
      input.outlines.push_back(&report.outline);
      input.asks_for_16_bit.push_back(asks_for_16_bit(report.uses));
      files.push_back(&report);
    }
    for (std::string& word : report.commands) input.commands.emplace_back(report.path, std::move(word));
  }
  std::vector<Reached> reached = find_reach(input);
  for (std::size_t index = 0; index < files.size(); ++index) {
    files[index]->reached = std::move(reached[index]);
    files[index]->outline = {};
  }
}

Verdict judge(const ChipReport& chip) {
  if (chip.target.family == nullptr) return Verdict::kCannot;
  if (chip.count(Severity::kWork) > 0) return Verdict::kNeedsWork;
  return chip.edit_count > 0 ? Verdict::kRunsAfterPort : Verdict::kRuns;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRuns:
      return "runs";
    case Verdict::kRunsAfterPort:
      return "runs_after_port";
    case Verdict::kNeedsWork:
      return "needs_work";
    case Verdict::kCannot:
      return "cannot";
  }
  return "cannot";
}

base::Text describe(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRuns:
      return text("runs as it is", "可直接运行");
    case Verdict::kRunsAfterPort:
      return text("runs after port", "移植后可运行");
    case Verdict::kNeedsWork:
      return text("needs work", "需人工处理");
    case Verdict::kCannot:
      return text("cannot", "不可运行");
  }
  return {};
}

std::size_t ChipReport::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.severity == severity; }));
}

std::string find_torch_version(const std::string& root, const std::vector<TreeEntry>& entries) {
  for (const TreeEntry& entry : entries) {
    if (classify(entry.path, "") != FileKind::kRequirements || entry.size > (1U << 20)) continue;
    base::Result<std::string> bytes = base::read_file(root + "/" + entry.path);
    if (!bytes.ok()) continue;
    for (std::size_t at = bytes->find("torch=="); at != std::string::npos; at = bytes->find("torch==", at + 1)) {
      if (at > 0 && (*bytes)[at - 1] != '\n') continue;
      std::size_t end = bytes->find_first_not_of("0123456789.", at + 7);
      return bytes->substr(at + 7, end == std::string::npos ? end : end - at - 7);
    }
  }
  return "";
}

base::Result<ProjectReport> scan_project(const std::string& root, const Context& given, const OnProgress& on_progress) {
  std::vector<std::string> unreadable;
  SB_TRY(std::vector<TreeEntry> entries, walk_tree(root, &unreadable));
  Context context = given;
  SB_TRY(context.rules, RuleSet::of_project(root, context.rules));
  bool is_single_file = entries.size() == 1 && root.size() >= entries[0].path.size() &&
                        root.substr(root.size() - entries[0].path.size()) == entries[0].path;
  if (context.torch_version.empty() && !is_single_file) context.torch_version = find_torch_version(root, entries);
  std::vector<const TreeEntry*> files;
  for (const TreeEntry& entry : entries) {
    if (entry.kind == TreeEntry::Kind::kFile && !is_skipped_folder(entry.path)) files.push_back(&entry);
  }

  std::size_t file_count = files.size();
  bool is_portable = std::any_of(context.targets.begin(), context.targets.end(),
                                 [](const Target& target) { return target.style == Style::kPortable; });
  PortableLayout layout = is_portable && !is_single_file ? layout_of(root, files) : PortableLayout({});
  if (is_portable && !is_single_file) context.layout = &layout;
  TreeScan scan(root, is_single_file, std::move(files), context);
  std::vector<FileReport> reports = run_with_cache(scan, root, is_single_file, context, on_progress);

  add_preflight(reports, context);

  ProjectReport project;
  project.root = root;
  project.file_count = file_count;
  project.reused_file_count = scan.reused_count();
  for (const Target& target : context.targets) project.chips.push_back({target, Verdict::kRuns, 0, 0, 0, {}, {}, context.rules});
  tell_shims(reports, context, scan.shims());
  leave_supported(reports, context, scan.source_device());
  leave_cuda_only(reports, context);
  if (!is_single_file) add_reach(reports);
  for (FileReport& report : reports) {
    if (report.is_analyzed) {
      ++project.analyzed_file_count;
      project.line_count += static_cast<std::size_t>(report.line_count);
      ++project.files_by_kind[std::string(to_string(report.kind))];
    }
    project.cuda.merge(report.cuda);
    for (NameUse& use : report.uses) {
      ProjectUse& of_project = project.uses[use.name];
      of_project.count += use.count;
      if (of_project.places.size() < kUsePlacesMax)
        of_project.places.push_back({report.path, use.first.line, use.first.column, ""});
      if (!is_single_file && !report.reached.may_run_in_16_bit) continue;
      of_project.count_16_bit += use.count;
      if (of_project.places_16_bit.size() < kUsePlacesMax)
        of_project.places_16_bit.push_back({report.path, use.first.line, use.first.column, ""});
    }
    report.uses.clear();
    bool says_something = false;
    for (std::size_t index = 0; index < report.results.size(); ++index) {
      ChipReport& chip = project.chips[index];
      const TargetResult& result = report.results[index];
      chip.edit_count += result.edits.size();
      chip.edited_file_count += result.edits.empty() ? 0 : 1;
      chip.suppressed_count += result.suppressed_count;
      add_new_files(chip, result, layout);
      chip.findings.insert(chip.findings.end(), result.findings.begin(), result.findings.end());
      says_something = says_something || !result.edits.empty() || !result.findings.empty();
    }
    if (says_something) project.files.push_back(std::move(report));
  }
  for (ChipReport& chip : project.chips) {
    for (const std::string& folder : unreadable) {
      chip.findings.push_back(unreadable_finding(folder, text("the folder cannot be read", "无法读取该目录")));
    }
    std::sort(chip.new_files.begin(), chip.new_files.end(),
              [](const NewFile& left, const NewFile& right) { return left.path < right.path; });
    chip.verdict = judge(chip);
  }
  return project;
}

}  // namespace starbridge::port
