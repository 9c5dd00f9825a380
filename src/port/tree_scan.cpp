#include "port/tree_scan.h"

#include <time.h>

#include <algorithm>
#include <numeric>

#include "base/files.h"
#include "base/parallel.h"
#include "port/already_ported.h"
#include "port/files/setup_py.h"
#include "port/notebook_cells.h"
#include "port/python/branches.h"
#include "port/python/cuda_code.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::size_t kFirstBytes = 4096;
constexpr std::size_t kSettingsBytesMax = 1UL << 20;  // JSON larger than this is data, not settings
// Of the Python files; when more changed, all are read.
constexpr std::size_t kChangedShareMax = 4;
// Clocks of file systems may be as coarse as this: a file written so shortly before may be written again under the same time.
constexpr std::int64_t kCoarsestClockNs = 2'000'000'000;

// What a file other than Python's starts or, as a notebook, imports.
void add_starts(FileReport& report, const SourceFile& file) {
  static constexpr std::array<FileKind, 7> kStarters = {FileKind::kShell, FileKind::kDockerfile, FileKind::kYaml, FileKind::kJson,
                                                        FileKind::kToml,  FileKind::kSetupCfg,   FileKind::kBuild};
  if (std::find(kStarters.begin(), kStarters.end(), report.kind) != kStarters.end()) {
    report.commands = command_words(file.bytes);
  } else if (report.kind == FileKind::kNotebook && file.bytes.size() <= kSettingsBytesMax) {
    base::Result<NotebookCells> cells = find_notebook_cells(file.bytes, file.path);
    if (cells.ok()) report.outline = python::read_outline(cells->code);
  }
}

}  // namespace

Finding unreadable_finding(const std::string& path, const base::Text& why) {
  return {"file-unreadable",
          Severity::kWarning,
          {path, 0, 0, ""},
          why,
          text("grant read access and scan again", "请授予读权限后重新扫描"),
          ""};
}

TreeScan::TreeScan(const std::string& root, bool is_single_file, std::vector<const TreeEntry*> files, const Context& context)
    : root_(root),
      is_single_file_(is_single_file),
      files_(std::move(files)),
      context_(context),
      reports_(files_.size()),
      states_(files_.size()) {
  for (std::size_t index = 0; index < files_.size(); ++index) {
    if (!is_python(*files_[index])) continue;
    python_number_.emplace(index, python_paths_.size());
    python_paths_.push_back(files_[index]->path);
  }
  family_files_ = python::files_of_families(python_paths_);
  // Large files first: the last to finish should be a small one.
  order_.resize(files_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t left, std::size_t right) { return files_[left]->size > files_[right]->size; });
}

std::vector<FileReport> TreeScan::run(const OnProgress& on_progress) {
  flow_ = std::make_unique<python::ProjectFlow>(python_paths_, context_.rules.get());
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
  sum_up();
  each([this](std::size_t index) {
    if (python_number_.count(index) > 0) {
      finish_python(index);
    } else {
      reports_[index] = read_and_analyze(index);
    }
  });
  if (keeps_snapshot_) encode_snapshot(flow_->take_record());
  return std::move(reports_);
}

std::optional<std::vector<FileReport>> TreeScan::run_since(ScanSnapshot& known) {
  std::optional<Changes> changes = find_changes(known);
  if (!changes) return std::nullopt;
  flow_ = std::make_unique<python::ProjectFlow>(python_paths_, context_.rules.get());
  std::vector<std::size_t> numbers;
  for (std::size_t index : changes->python) {
    if (!read_python(index)) return std::nullopt;
    numbers.push_back(python_number_.at(index));
  }
  sum_up();
  if (context_.source_device != known.source_device || context_.shims != known.shims || has_helper_ != known.has_helper)
    return std::nullopt;
  auto load = [&](std::size_t number) {
    base::Result<std::string> bytes = base::read_file(root_ + "/" + python_paths_[number], kAnalyzedBytesMax);
    return SourceFile{python_paths_[number], bytes.ok() ? std::move(bytes).value() : ""};
  };
  if (!flow_->relink(known.flow, numbers, load)) return std::nullopt;
  python::FlowRecord flow = flow_->take_record();
  context_.settings = &flow.settings;
  for (std::size_t index : changes->python) finish_python(index);
  for (std::size_t index : changes->others) reports_[index] = read_and_analyze(index);
  for (const auto& [index, file] : changes->same) reports_[index] = std::move(file->report);
  reused_count_ = changes->same.size();
  if (keeps_snapshot_ && changes->is_snapshot_stale) encode_snapshot(std::move(flow));
  return std::move(reports_);
}

std::optional<TreeScan::Changes> TreeScan::find_changes(ScanSnapshot& known) {
  std::unordered_map<std::string_view, ScannedFile*> by_path;
  for (ScannedFile& file : known.files) by_path.emplace(file.path, &file);
  // Modules are found by their paths: another list of them may mean other modules. The helper's place depends on all of them.
  if (known.flow.files.size() != python_paths_.size()) return std::nullopt;
  Changes changes;
  bool is_same_list = files_.size() == known.files.size();
  for (std::size_t index = 0; index < files_.size(); ++index) {
    bool is_of_python = python_number_.count(index) > 0;
    auto found = by_path.find(files_[index]->path);
    is_same_list = is_same_list && found != by_path.end();
    if (found == by_path.end() && is_of_python) return std::nullopt;
    ScannedFile* file = found != by_path.end() ? found->second : nullptr;
    bool is_same = file != nullptr && file->stamp == files_[index]->stamp;
    if (file != nullptr && !is_same) {
      changes.is_snapshot_stale = true;
      base::Result<std::string> bytes =
          file->is_read ? base::read_file(full_path(*files_[index]), kAnalyzedBytesMax) : std::string();
      is_same = file->is_read && bytes.ok() && content_hash(*bytes) == file->hash;
    }
    if (is_same) {
      states_[index] = {file->is_read, file->hash, file->python};
      changes.same.emplace_back(index, file);
    } else {
      (is_of_python ? changes.python : changes.others).push_back(index);
    }
  }
  if (context_.layout != nullptr && !is_same_list) return std::nullopt;
  if (changes.python.size() * kChangedShareMax > python_paths_.size() + kChangedShareMax) return std::nullopt;
  changes.is_snapshot_stale = changes.is_snapshot_stale || !is_same_list;
  return changes;
}

// What the Python files say of the project as a whole.
void TreeScan::sum_up() {
  std::array<std::size_t, 4> counts{};
  shims_.clear();
  context_.shims.clear();
  has_helper_ = false;
  for (const State& state : states_) {
    for (std::size_t family = 0; family < counts.size(); ++family) counts[family] += state.python.family_counts[family];
    has_helper_ = has_helper_ || state.python.is_helper;
    for (const auto& [backend, place] : state.python.shims) {
      base::Place& first = shims_[backend];
      if (first.file.empty() || place.file < first.file) first = place;
    }
  }
  for (const auto& [backend, place] : shims_) context_.shims.insert(backend);
  // A portable project names CUDA in its helper alone; what it still names of another family are branches for that one.
  context_.source_device = has_helper_ ? families()[0].device : python::device_of_source(counts);
}

void TreeScan::encode_snapshot(python::FlowRecord flow) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::int64_t trusted_until = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec - kCoarsestClockNs;
  ScanSnapshot snapshot;
  snapshot.flow = std::move(flow);
  snapshot.source_device = context_.source_device;
  snapshot.shims = context_.shims;
  snapshot.has_helper = has_helper_;
  snapshot.files.resize(files_.size());
  for (std::size_t index = 0; index < files_.size(); ++index) {
    ScannedFile& file = snapshot.files[index];
    const FileStamp& stamp = files_[index]->stamp;
    file.path = files_[index]->path;
    if (stamp.modified_ns < trusted_until && stamp.changed_ns < trusted_until) file.stamp = stamp;
    file.is_read = states_[index].is_read;
    file.hash = states_[index].hash;
    file.python = states_[index].python;
    std::swap(file.report, reports_[index]);
  }
  snapshot_ = encode(snapshot);
  for (std::size_t index = 0; index < files_.size(); ++index) std::swap(snapshot.files[index].report, reports_[index]);
}

bool TreeScan::is_python(const TreeEntry& entry) {
  return classify(entry.path, "") == FileKind::kPython && entry.size <= kAnalyzedBytesMax;
}

// Calls `work` for every file on all threads.
template <class Work>
void TreeScan::each(Work work) {
  base::for_each_index(order_.size(), python::kScanThreads, [&](std::size_t turn) {
    work(order_[turn]);
    progress_();
  });
}

std::string TreeScan::full_path(const TreeEntry& entry) const { return is_single_file_ ? root_ : root_ + "/" + entry.path; }

FileReport TreeScan::unreadable(const std::string& path, const base::Text& why) const {
  FileReport report;
  report.path = path;
  report.results.resize(context_.targets.size());
  for (TargetResult& result : report.results) result.findings.push_back(unreadable_finding(path, why));
  return report;
}

// False when the file cannot be read or analysed.
bool TreeScan::read_python(std::size_t index) {
  const TreeEntry& entry = *files_[index];
  states_[index] = {};
  base::Result<std::string> bytes = base::read_file(full_path(entry), kAnalyzedBytesMax);
  if (!bytes.ok()) {
    reports_[index] = unreadable(entry.path, bytes.error().message());
    return false;
  }
  SourceFile file{entry.path, std::move(bytes).value()};
  reports_[index] = begin_report(file, FileKind::kPython, context_);
  states_[index].is_read = true;
  if (keeps_snapshot_) states_[index].hash = content_hash(file.bytes);
  if (!reports_[index].is_analyzed) return false;
  reports_[index].outline = python::read_outline(file.bytes);
  PythonFacts& facts = states_[index].python;
  facts.shims = find_shims(file);
  facts.is_helper = is_portable_helper(file.bytes);
  facts.family_counts = python::count_families(file.bytes);
  bool may_matter = is_setup_py(entry.path) || may_python_matter(file.bytes, context_.tables, context_.rules.get()) ||
                    may_python_pass_devices(file.bytes);
  flow_->read(python_number_.at(index), std::move(file), may_matter);
  return true;
}

void TreeScan::finish_python(std::size_t index) {
  FileReport& report = reports_[index];
  std::size_t number = python_number_.at(index);
  if (report.is_analyzed && flow_->is_parsed(number)) {
    const SourceFile& file = flow_->source(number);
    std::size_t error_at = flow_->error_at(number);
    if (error_at != std::string_view::npos) {
      end_report(report, file, context_, refuse_python(file, error_at, context_));
    } else {
      python::add_parts(report.outline, flow_->syntax(number), file.bytes);
      python::Sites sites = flow_->finish(number);
      report.uses = collect_uses(file, sites);
      bool is_one_familys = family_files_.count(file.path) > 0;
      if (is_one_familys) python::settle_all(sites);
      python::settle_others(sites, file.bytes, context_.source_device);
      if (is_setup_py(file.path) && !context_.ports_kernels) python::settle_cuda_build(sites);
      report.branch_counts = count_branches(sites, file.path, is_one_familys);
      end_report(report, file, context_, rewrite_python(file, sites, context_));
    }
  }
  flow_->forget(number);
}

FileReport TreeScan::read_and_analyze(std::size_t index) {
  const TreeEntry& entry = *files_[index];
  states_[index] = {};
  FileReport report;
  report.path = entry.path;
  report.results.resize(context_.targets.size());
  // The name decides for most files; only the others are opened to be looked at.
  FileKind kind = classify(entry.path, "");
  if (kind == FileKind::kJson && entry.size > kSettingsBytesMax) return report;
  if (kind != FileKind::kOther && entry.size > kAnalyzedBytesMax) {
    return analyze_file({entry.path, std::string(kAnalyzedBytesMax + 1, ' ')}, kind, context_);
  }
  bool may_be_script =
      kind == FileKind::kOther && entry.size > 0 && entry.size <= kAnalyzedBytesMax && entry.path.find('.') == std::string::npos;
  bool may_be_cuda =
      kind == FileKind::kOther && classify(entry.path, "__global__") == FileKind::kCuda && entry.size <= kAnalyzedBytesMax;
  if (kind == FileKind::kOther && !may_be_script && !may_be_cuda) return report;
  base::Result<std::string> bytes = base::read_file(full_path(entry), kAnalyzedBytesMax);
  if (!bytes.ok()) return unreadable(entry.path, bytes.error().message());
  states_[index].is_read = true;
  if (keeps_snapshot_) states_[index].hash = content_hash(*bytes);
  if (kind == FileKind::kOther)
    kind = classify(entry.path, std::string_view(*bytes).substr(0, may_be_cuda ? bytes->size() : kFirstBytes));
  SourceFile file{entry.path, std::move(bytes).value()};
  report = analyze_file(file, kind, context_);
  add_starts(report, file);
  return report;
}

}  // namespace starbridge::port
