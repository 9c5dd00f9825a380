#include "port/portable.h"

#include <algorithm>
#include <filesystem>

namespace starbridge::port {
namespace {

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string file_name_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

bool is_portable_helper(std::string_view bytes) {
  return bytes.substr(0, 4096).find("Written by a port; edit it as you like.") != std::string_view::npos &&
         bytes.find("portable_device") != std::string_view::npos;
}

PortableLayout::PortableLayout(const std::vector<std::string>& paths, const std::vector<std::string>& helpers)
    : helpers_(helpers.begin(), helpers.end()) {
  std::set<std::string> taken;  // names of modules and folders anywhere: one that collides in one folder would confuse in all
  for (const std::string& path : paths) {
    files_.insert(path);
    std::string file = file_name_of(path);
    if (file == "__init__.py") packages_.insert(folder_of(path));
    if (helpers_.count(path) > 0) {
      name_ = file.substr(0, file.rfind('.'));
      continue;
    }
    if (file.compare(0, kHelperName.size(), kHelperName) == 0) taken.insert(file.substr(0, file.find('.')));
    if (std::string folder = file_name_of(folder_of(path)); folder.compare(0, kHelperName.size(), kHelperName) == 0)
      taken.insert(folder);
  }
  if (!name_.empty()) return;
  name_ = std::string(kHelperName);
  for (int number = 2; taken.count(name_) > 0; ++number) name_ = std::string(kHelperName) + "_" + std::to_string(number);
}

HelperImport PortableLayout::import_for(const std::string& path) const {
  std::string folder = folder_of(path);
  std::string top;
  std::string dotted;
  for (std::string at = folder; !at.empty() && packages_.count(at) > 0; at = folder_of(at)) top = at;
  HelperImport result;
  result.name = name_;
  if (top.empty()) {
    result.path = folder.empty() ? name_ + ".py" : folder + "/" + name_ + ".py";
    result.module = name_;
    result.statement = "import " + name_;
    return result;
  }
  std::string package = file_name_of(top);
  result.path = top + "/" + name_ + ".py";
  result.module = package + "." + name_;
  result.statement = "from " + package + " import " + name_;
  return result;
}

}  // namespace starbridge::port
