// TreeScan: the files of a project on their way to reports. Python files wait for each other; all others stand alone. What a
// snapshot of an earlier scan says of unchanged files is taken from it. Blocking; two threads read files, and results do not
// depend on them.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "port/analyze.h"
#include "port/python/project_flow.h"
#include "port/scan_cache.h"
#include "port/walk.h"

namespace starbridge::port {

using OnProgress = std::function<void(std::size_t done, std::size_t total)>;

Finding unreadable_finding(const std::string& path, const base::Text& why);

class TreeScan {
 public:
  // All outlive the object.
  TreeScan(const std::string& root, bool is_single_file, std::vector<const TreeEntry*> files, const Context& context);

  std::vector<FileReport> run(const OnProgress& on_progress);
  // The same by an earlier scan with the same options, looking only at what changed. Nothing when too much did; then run().
  std::optional<std::vector<FileReport>> run_since(ScanSnapshot& known);
  // Keeps what save_snapshot wants, before run.
  void keep_snapshot() { keeps_snapshot_ = true; }
  // After a run; empty when nothing was kept or nothing changed since `known`.
  const std::string& snapshot() const { return snapshot_; }

  // Files whose reports were taken from the snapshot.
  std::size_t reused_count() const { return reused_count_; }

  const std::string& source_device() const { return context_.source_device; }
  const std::map<std::string, base::Place>& shims() const { return shims_; }

 private:
  struct State {
    bool is_read = false;
    std::uint64_t hash = 0;
    PythonFacts python;
  };
  struct Changes {
    std::vector<std::size_t> python;
    std::vector<std::size_t> others;
    std::vector<std::pair<std::size_t, ScannedFile*>> same;
    bool is_snapshot_stale = false;
  };
  static bool is_python(const TreeEntry& entry);
  template <class Work>
  void each(Work work);
  std::string full_path(const TreeEntry& entry) const;
  FileReport unreadable(const std::string& path, const base::Text& why) const;
  bool read_python(std::size_t index);
  void take_python(std::size_t index, SourceFile file);
  void finish_python(std::size_t index);
  FileReport read_and_analyze(std::size_t index);
  std::optional<Changes> find_changes(ScanSnapshot& known);
  void sum_up();
  void encode_snapshot(python::FlowRecord flow);

  const std::string& root_;
  bool is_single_file_;
  std::vector<const TreeEntry*> files_;
  Context context_;
  std::vector<FileReport> reports_;
  std::vector<State> states_;
  std::vector<std::string> python_paths_;
  std::unordered_map<std::size_t, std::size_t> python_number_;  // file -> number in flow_
  std::unique_ptr<python::ProjectFlow> flow_;                   // of the run
  std::set<std::string> family_files_;
  bool has_helper_ = false;
  std::map<std::string, base::Place> shims_;  // backend -> where it is imported first
  std::vector<std::size_t> order_;
  std::function<void()> progress_;
  std::atomic<std::size_t> done_{0};
  std::mutex progress_mutex_;
  bool keeps_snapshot_ = false;
  std::size_t reused_count_ = 0;
  std::string snapshot_;
};

}  // namespace starbridge::port
