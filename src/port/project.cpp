#include "port/project.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/files.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::size_t kThreads = 2;
constexpr std::size_t kFirstBytes = 4096;
constexpr std::size_t kSettingsBytesMax = 1UL << 20;  // JSON larger than this is data, not settings

Finding unreadable_finding(const std::string& path, const base::Text& why) {
  return {"file-unreadable",
          Severity::kWarning,
          {path, 0, 0, ""},
          why,
          text("grant read access and scan again", "请授予读权限后重新扫描"),
          ""};
}

FileReport read_and_analyze(const std::string& root, bool is_single_file, const TreeEntry& entry, const Context& context) {
  FileReport report;
  report.path = entry.path;
  report.results.resize(context.targets.size());
  // The name decides for most files; only the others are opened to be looked at.
  FileKind kind = classify(entry.path, "");
  std::string full = is_single_file ? root : root + "/" + entry.path;
  if (kind == FileKind::kJson && entry.size > kSettingsBytesMax) return report;
  if (kind != FileKind::kOther && entry.size > kAnalyzedBytesMax) {
    return analyze_file({entry.path, std::string(kAnalyzedBytesMax + 1, ' ')}, kind, context);
  }
  bool may_be_script =
      kind == FileKind::kOther && entry.size > 0 && entry.size <= kAnalyzedBytesMax && entry.path.find('.') == std::string::npos;
  bool may_be_cuda =
      kind == FileKind::kOther && classify(entry.path, "__global__") == FileKind::kCuda && entry.size <= kAnalyzedBytesMax;
  if (kind == FileKind::kOther && !may_be_script && !may_be_cuda) return report;
  base::Result<std::string> bytes = base::read_file(full, kAnalyzedBytesMax);
  if (!bytes.ok()) {
    for (TargetResult& result : report.results)
      result.findings.push_back(unreadable_finding(entry.path, bytes.error().message()));
    return report;
  }
  if (kind == FileKind::kOther)
    kind = classify(entry.path, std::string_view(*bytes).substr(0, may_be_cuda ? bytes->size() : kFirstBytes));
  return analyze_file({entry.path, std::move(bytes).value()}, kind, context);
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
  bool is_single_file = entries.size() == 1 && root.size() >= entries[0].path.size() &&
                        root.substr(root.size() - entries[0].path.size()) == entries[0].path;
  if (context.torch_version.empty() && !is_single_file) context.torch_version = find_torch_version(root, entries);
  std::vector<const TreeEntry*> files;
  for (const TreeEntry& entry : entries) {
    if (entry.kind == TreeEntry::Kind::kFile && !is_skipped_folder(entry.path)) files.push_back(&entry);
  }

  // Large files first: the last to finish should be a small one.
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return files[left]->size > files[right]->size; });

  std::vector<FileReport> reports(files.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::mutex progress_mutex;
  auto work = [&] {
    for (std::size_t turn = next++; turn < files.size(); turn = next++) {
      std::size_t index = order[turn];
      reports[index] = read_and_analyze(root, is_single_file, *files[index], context);
      std::size_t now_done = ++done;
      if (on_progress && now_done % 64 == 0) {
        std::lock_guard<std::mutex> lock(progress_mutex);
        on_progress(now_done, files.size());
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t count = 1; count < kThreads; ++count) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  ProjectReport project;
  project.root = root;
  project.file_count = files.size();
  for (const Target& target : context.targets) project.chips.push_back({target, Verdict::kRuns, 0, 0, 0, {}});
  for (FileReport& report : reports) {
    if (report.is_analyzed) {
      ++project.analyzed_file_count;
      project.line_count += static_cast<std::size_t>(report.line_count);
      ++project.files_by_kind[std::string(to_string(report.kind))];
    }
    project.cuda.merge(report.cuda);
    bool says_something = false;
    for (std::size_t index = 0; index < report.results.size(); ++index) {
      ChipReport& chip = project.chips[index];
      const TargetResult& result = report.results[index];
      chip.edit_count += result.edits.size();
      chip.edited_file_count += result.edits.empty() ? 0 : 1;
      chip.suppressed_count += result.suppressed_count;
      chip.findings.insert(chip.findings.end(), result.findings.begin(), result.findings.end());
      says_something = says_something || !result.edits.empty() || !result.findings.empty();
    }
    if (says_something) project.files.push_back(std::move(report));
  }
  for (ChipReport& chip : project.chips) {
    for (const std::string& folder : unreadable) {
      chip.findings.push_back(unreadable_finding(folder, text("the folder cannot be read", "无法读取该目录")));
    }
    chip.verdict = judge(chip);
  }
  return project;
}

}  // namespace starbridge::port
