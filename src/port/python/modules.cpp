#include "port/python/modules.h"

#include <algorithm>
#include <array>

#include "port/word_search.h"

namespace starbridge::port::python {
namespace {

// "pkg/config.py" -> "pkg/config", "pkg/__init__.py" -> "pkg"; empty for what no import can name.
std::string module_path(std::string_view path) {
  if (path.size() < 3 || path.substr(path.size() - 3) != ".py") return "";
  path.remove_suffix(3);
  constexpr std::string_view kPackage = "__init__";
  if (path == kPackage) return "";
  if (path.size() > kPackage.size() && path.substr(path.size() - kPackage.size() - 1) == "/__init__")
    path.remove_suffix(kPackage.size() + 1);
  return std::string(path);
}

std::string folder_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string parent_of(const std::string& folder) { return folder_of(folder); }

}  // namespace

bool changes_path(std::string_view source) {
  static constexpr std::array<std::string_view, 2> kWords = {"sys.path", "site.addsitedir("};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  for (auto hit = kSearch.find(source, 0); hit.word < kWords.size(); hit = kSearch.find(source, hit.position + 1)) {
    if (hit.word == 1) return true;
    std::string_view rest = source.substr(hit.position + kWords[0].size());
    for (std::string_view change : {".append(", ".insert(", ".extend(", " +="}) {
      if (rest.substr(0, change.size()) == change) return true;
    }
  }
  return false;
}

Modules::Modules(const std::vector<std::string>& paths) : changes_path_(paths.size()) {
  for (std::size_t index = 0; index < paths.size(); ++index) {
    folders_.push_back(folder_of(paths[index]));
    std::string module = module_path(paths[index]);
    if (module.empty()) continue;
    files_.emplace(module, static_cast<int>(index));
    for (std::size_t at = 0; at != std::string::npos;) {
      auto [found, is_new] = unique_suffix_.emplace(module.substr(at), static_cast<int>(index));
      if (!is_new) found->second = -1;
      std::size_t slash = module.find('/', at);
      segments_.insert(module.substr(at, slash - at));
      at = slash == std::string::npos ? slash : slash + 1;
    }
  }
}

int Modules::find(const std::string& folder, std::string_view module) const {
  std::string path = folder.empty() ? std::string(module) : folder + "/" + std::string(module);
  auto found = files_.find(path);
  return found == files_.end() ? -1 : found->second;
}

std::optional<Modules::Target> Modules::resolve(int importer, std::string_view dotted) const {
  std::size_t dots = std::min(dotted.find_first_not_of('.'), dotted.size());
  std::string_view rest = dotted.substr(dots);
  // Most imports are of installed packages: no file of the project bears their first word.
  if (dots == 0 && segments_.count(std::string(rest.substr(0, rest.find('.')))) == 0) return std::nullopt;
  std::string folder = folders_[static_cast<std::size_t>(importer)];
  for (std::size_t up = 1; up < dots; ++up) folder = parent_of(folder);
  std::string slashed(rest);
  std::replace(slashed.begin(), slashed.end(), '.', '/');
  auto answer = [&](int file, std::size_t end) {
    return Target{file, end >= rest.size() ? "" : std::string(rest.substr(end + 1))};
  };
  // The longest beginning that is a module: the rest is a name in it.
  for (std::size_t end = slashed.size(); end != std::string::npos && end > 0; end = slashed.rfind('/', end - 1)) {
    std::string_view module = std::string_view(slashed).substr(0, end);
    if (int file = find(folder, module); file >= 0) return answer(file, end);
    if (dots == 0) {
      if (int file = find("", module); file >= 0) return answer(file, end);
      // A single word alone is too often the name of an installed package.
      bool is_specific = module.find('/') != std::string_view::npos || changes_path_[static_cast<std::size_t>(importer)] != 0;
      auto found = is_specific ? unique_suffix_.find(std::string(module)) : unique_suffix_.end();
      if (found != unique_suffix_.end() && found->second >= 0) return answer(found->second, end);
    }
    if (end == 0) break;
  }
  if (dots > 0) {  // "from . import DEVICE": a name of the package itself
    if (int file = find("", folder); file >= 0) return Target{file, std::string(rest)};
  }
  return std::nullopt;
}

}  // namespace starbridge::port::python
