// Modules: which file of the project an imported name stands for. Built from the paths alone; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace starbridge::port::python {

// Whether a file's text adds folders to sys.path.
bool changes_path(std::string_view source);

class Modules {
 public:
  // Paths of the project's Python files with '/'; the position in the list is the file's number.
  explicit Modules(const std::vector<std::string>& paths);

  // The file adds folders to sys.path: its imports of single words may lead to any folder. Each file's before it is resolved.
  void note_path_change(int file) { changes_path_[static_cast<std::size_t>(file)] = 1; }

  struct Target {
    int file = -1;
    std::string name;  // what is imported from it, "DEVICE" or "Config.device"; empty: the module itself
  };
  // `dotted` as a file's imports spell it: "pkg.config.DEVICE", "..config.DEVICE". Looked for beside the importing file (a
  // script's own folder is on the path), then from the project's root, then where one file alone ends so (src layouts, installed
  // names).
  std::optional<Target> resolve(int importer, std::string_view dotted) const;

 private:
  int find(const std::string& folder, std::string_view module) const;

  std::vector<char> changes_path_;
  std::vector<std::string> folders_;                    // of each file, "" for the root
  std::unordered_map<std::string, int> files_;          // "pkg/config" -> file
  std::unordered_set<std::string> segments_;            // every word between the slashes of the files' paths
  std::unordered_map<std::string, int> unique_suffix_;  // "config", "pkg/config", ... -> file; -1: several
};

}  // namespace starbridge::port::python
