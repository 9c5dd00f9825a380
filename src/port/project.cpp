#include "port/project.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "base/files.h"
#include "base/parallel.h"
#include "port/already_ported.h"
#include "port/files/setup_py.h"
#include "port/preflight.h"
#include "port/python/branches.h"
#include "port/python/project_flow.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

using base::text;

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

// The files of a project on their way to reports. Python files wait for each other; all others stand alone.
class Scan {
 public:
  Scan(const std::string& root, bool is_single_file, std::vector<const TreeEntry*> files, const Context& context)
      : root_(root), is_single_file_(is_single_file), files_(std::move(files)), context_(context), reports_(files_.size()) {
    std::vector<std::string> python_paths;
    for (std::size_t index = 0; index < files_.size(); ++index) {
      if (!is_python(*files_[index])) continue;
      python_number_.emplace(index, python_paths.size());
      python_paths.push_back(files_[index]->path);
    }
    family_files_ = python::files_of_families(python_paths);
    flow_ = std::make_unique<python::ProjectFlow>(std::move(python_paths));
    // Large files first: the last to finish should be a small one.
    order_.resize(files_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t left, std::size_t right) { return files_[left]->size > files_[right]->size; });
  }

  std::vector<FileReport> run(const OnProgress& on_progress) {
    std::size_t total = files_.size() + python_number_.size();
    progress_ = [this, &on_progress, total] {
      std::size_t now_done = ++done_;
      if (!on_progress || now_done % 64 != 0) return;
      std::lock_guard<std::mutex> lock(progress_mutex_);
      on_progress(now_done, total);
    };
    each([this](std::size_t index) {
      if (python_number_.count(index) > 0) read_python(index);
    });
    flow_->link();
    context_.settings = &flow_->settings();
    for (const auto& [backend, place] : shims_) context_.shims.insert(backend);
    std::array<std::size_t, 4> counts{};
    std::copy(family_counts_.begin(), family_counts_.end(), counts.begin());
    // A portable project names CUDA in its helper alone; what it still names of another family are branches for that one.
    context_.source_device = has_helper_ ? families()[0].device : python::device_of_source(counts);
    each([this](std::size_t index) {
      if (python_number_.count(index) > 0) {
        finish_python(index);
      } else {
        reports_[index] = read_and_analyze(*files_[index]);
      }
    });
    return std::move(reports_);
  }

  const std::string& source_device() const { return context_.source_device; }
  const std::map<std::string, base::Place>& shims() const { return shims_; }

 private:
  static bool is_python(const TreeEntry& entry) {
    return classify(entry.path, "") == FileKind::kPython && entry.size <= kAnalyzedBytesMax;
  }

  // Calls `work` for every file on all threads.
  template <class Work>
  void each(Work work) {
    base::for_each_index(order_.size(), python::kScanThreads, [&](std::size_t turn) {
      work(order_[turn]);
      progress_();
    });
  }

  std::string full_path(const TreeEntry& entry) const { return is_single_file_ ? root_ : root_ + "/" + entry.path; }

  FileReport unreadable(const std::string& path, const base::Text& why) const {
    FileReport report;
    report.path = path;
    report.results.resize(context_.targets.size());
    for (TargetResult& result : report.results) result.findings.push_back(unreadable_finding(path, why));
    return report;
  }

  void read_python(std::size_t index) {
    const TreeEntry& entry = *files_[index];
    base::Result<std::string> bytes = base::read_file(full_path(entry), kAnalyzedBytesMax);
    if (!bytes.ok()) {
      reports_[index] = unreadable(entry.path, bytes.error().message());
      return;
    }
    SourceFile file{entry.path, std::move(bytes).value()};
    reports_[index] = begin_report(file, FileKind::kPython, context_);
    if (!reports_[index].is_analyzed) return;
    for (auto& [backend, place] : find_shims(file)) {
      std::lock_guard<std::mutex> lock(progress_mutex_);
      base::Place& known = shims_[backend];
      if (known.file.empty() || place.file < known.file) known = std::move(place);
    }
    if (is_portable_helper(file.bytes)) has_helper_ = true;
    std::array<std::size_t, 4> counts = python::count_families(file.bytes);
    for (std::size_t family = 0; family < counts.size(); ++family) family_counts_[family] += counts[family];
    bool may_matter =
        is_setup_py(entry.path) || may_python_matter(file.bytes, context_.tables) || may_python_pass_devices(file.bytes);
    flow_->read(python_number_.at(index), std::move(file), may_matter);
  }

  void finish_python(std::size_t index) {
    FileReport& report = reports_[index];
    std::size_t number = python_number_.at(index);
    if (report.is_analyzed && flow_->is_parsed(number)) {
      const SourceFile& file = flow_->source(number);
      std::size_t error_at = flow_->error_at(number);
      if (error_at != std::string_view::npos) {
        end_report(report, file, context_, refuse_python(file, error_at, context_));
      } else {
        python::Sites sites = flow_->finish(number);
        report.uses = collect_uses(file, sites);
        bool is_one_familys = family_files_.count(file.path) > 0;
        if (is_one_familys) python::settle_all(sites);
        python::settle_others(sites, file.bytes, context_.source_device);
        report.branch_counts = count_branches(sites, file.path, is_one_familys);
        end_report(report, file, context_, rewrite_python(file, sites, context_));
      }
    }
    flow_->forget(number);
  }

  FileReport read_and_analyze(const TreeEntry& entry) const {
    FileReport report;
    report.path = entry.path;
    report.results.resize(context_.targets.size());
    // The name decides for most files; only the others are opened to be looked at.
    FileKind kind = classify(entry.path, "");
    if (kind == FileKind::kJson && entry.size > kSettingsBytesMax) return report;
    if (kind != FileKind::kOther && entry.size > kAnalyzedBytesMax) {
      return analyze_file({entry.path, std::string(kAnalyzedBytesMax + 1, ' ')}, kind, context_);
    }
    bool may_be_script = kind == FileKind::kOther && entry.size > 0 && entry.size <= kAnalyzedBytesMax &&
                         entry.path.find('.') == std::string::npos;
    bool may_be_cuda =
        kind == FileKind::kOther && classify(entry.path, "__global__") == FileKind::kCuda && entry.size <= kAnalyzedBytesMax;
    if (kind == FileKind::kOther && !may_be_script && !may_be_cuda) return report;
    base::Result<std::string> bytes = base::read_file(full_path(entry), kAnalyzedBytesMax);
    if (!bytes.ok()) return unreadable(entry.path, bytes.error().message());
    if (kind == FileKind::kOther)
      kind = classify(entry.path, std::string_view(*bytes).substr(0, may_be_cuda ? bytes->size() : kFirstBytes));
    return analyze_file({entry.path, std::move(bytes).value()}, kind, context_);
  }

  const std::string& root_;
  bool is_single_file_;
  std::vector<const TreeEntry*> files_;
  Context context_;
  std::vector<FileReport> reports_;
  std::unordered_map<std::size_t, std::size_t> python_number_;  // file -> number in flow_
  std::unique_ptr<python::ProjectFlow> flow_;
  std::set<std::string> family_files_;
  std::array<std::atomic<std::size_t>, 4> family_counts_{};
  std::atomic<bool> has_helper_{false};
  std::map<std::string, base::Place> shims_;  // backend -> where it is imported first
  std::vector<std::size_t> order_;
  std::function<void()> progress_;
  std::atomic<std::size_t> done_{0};
  std::mutex progress_mutex_;
};

PortableLayout layout_of(const std::string& root, const std::vector<const TreeEntry*>& files) {
  std::vector<std::string> paths;
  std::vector<std::string> helpers;
  for (const TreeEntry* entry : files) {
    paths.push_back(entry->path);
    bool may_be_helper = entry->path.find(kHelperName) != std::string::npos && entry->size <= kSettingsBytesMax;
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

  std::size_t file_count = files.size();
  bool is_portable = std::any_of(context.targets.begin(), context.targets.end(),
                                 [](const Target& target) { return target.style == Style::kPortable; });
  PortableLayout layout = is_portable && !is_single_file ? layout_of(root, files) : PortableLayout({});
  if (is_portable && !is_single_file) context.layout = &layout;
  Scan scan(root, is_single_file, std::move(files), context);
  std::vector<FileReport> reports = scan.run(on_progress);

  add_preflight(reports, context);

  ProjectReport project;
  project.root = root;
  project.file_count = file_count;
  for (const Target& target : context.targets) project.chips.push_back({target, Verdict::kRuns, 0, 0, 0, {}, {}});
  tell_shims(reports, context, scan.shims());
  leave_supported(reports, context, scan.source_device());
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
