#include "port/cuda_only.h"

#include <map>

#include "port/python/modules.h"
#include "port/reach.h"

namespace starbridge::port {
namespace {

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_package_file(const std::string& path) {
  constexpr std::string_view kName = "__init__.py";
  return path.size() >= kName.size() && path.compare(path.size() - kName.size(), kName.size(), kName) == 0;
}

class Finder {
 public:
  Finder(const std::vector<std::string>& paths, const std::vector<const python::Outline*>& outlines)
      : paths_(paths), outlines_(outlines), modules_(paths), found_(paths.size()) {}

  std::vector<CudaOnly> find() {
    bool has_any = false;
    for (std::size_t file = 0; file < paths_.size(); ++file) {
      const std::string& language = outlines_[file]->cuda_language;
      if (outlines_[file]->changes_path) modules_.note_path_change(static_cast<int>(file));
      ++files_in_[folder_of(paths_[file])];
      // A project's own module may bear the name of a package.
      if (language.empty() || modules_.resolve(static_cast<int>(file), language)) continue;
      found_[file].language = language;
      has_any = true;
    }
    if (!has_any) return std::move(found_);
    for (std::size_t file = 0; file < paths_.size(); ++file) own_in_[folder_of(paths_[file])] += is_own(file) ? 1 : 0;
    while (spread_in_folders()) {
    }
    for (std::size_t file = 0; file < paths_.size(); ++file) {
      if (is_test_path(paths_[file]) && !is_own(file)) follow(file, [](std::size_t) { return true; });
    }
    return std::move(found_);
  }

 private:
  bool is_own(std::size_t file) const { return !found_[file].language.empty(); }

  bool spread_in_folders() {
    bool has_change = false;
    for (std::size_t file = 0; file < paths_.size(); ++file) {
      std::string folder = folder_of(paths_[file]);
      // A package's own file says what it offers, and programs choose.
      bool may_be = !is_own(file) && !is_package_file(paths_[file]) && !outlines_[file]->has_main && !is_test_path(paths_[file]);
      if (!may_be || 2 * own_in_[folder] + 1 < files_in_[folder]) continue;
      if (!follow(file, [&](std::size_t other) { return folder_of(paths_[other]) == folder; })) continue;
      ++own_in_[folder];
      has_change = true;
    }
    return has_change;
  }

  template <class MayLead>
  bool follow(std::size_t file, MayLead may_lead) {
    for (const std::string& dotted : outlines_[file]->imports) {
      bool is_star = dotted.size() > 2 && dotted.compare(dotted.size() - 2, 2, ".*") == 0;
      auto target = modules_.resolve(static_cast<int>(file), is_star ? dotted.substr(0, dotted.size() - 2) : dotted);
      if (!target) continue;
      auto other = static_cast<std::size_t>(target->file);
      if (other == file || !is_own(other) || !may_lead(other)) continue;
      found_[file] = {found_[other].language, paths_[other]};
      return true;
    }
    return false;
  }

  const std::vector<std::string>& paths_;
  const std::vector<const python::Outline*>& outlines_;
  python::Modules modules_;
  std::vector<CudaOnly> found_;
  std::map<std::string, std::size_t> files_in_;  // of each folder
  std::map<std::string, std::size_t> own_in_;
};

}  // namespace

std::vector<CudaOnly> find_cuda_only(const std::vector<std::string>& paths, const std::vector<const python::Outline*>& outlines) {
  return Finder(paths, outlines).find();
}

}  // namespace starbridge::port
