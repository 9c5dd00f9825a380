// Portable: the helper module that a project ported in the portable style carries, where it lies and how each file imports it.
// Built from the paths of the tree; immutable; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::port {

// A file that a port adds to the project.
struct NewFile {
  std::string path;  // relative to the project
  std::string bytes;

  bool operator==(const NewFile&) const = default;
};

// How one file reaches the helper.
struct HelperImport {
  std::string path;       // "pkg/portable_device.py"
  std::string module;     // "pkg.portable_device"
  std::string statement;  // "from pkg import portable_device"
  std::string name;       // "portable_device"
};

class PortableLayout {
 public:
  // `paths`: all files of the tree. `helpers`: those of them that are helpers of an earlier port.
  explicit PortableLayout(const std::vector<std::string>& paths, const std::vector<std::string>& helpers = {});

  // The helper of a package lies in its topmost folder, beside the modules that are imported the same way; that of scripts beside
  // them, for Python looks there first.
  HelperImport import_for(const std::string& path) const;
  // Whether the project's own folder holds the helper: commands in scripts can ask it.
  bool is_helper(const std::string& path) const { return helpers_.count(path) > 0; }
  bool has_file(const std::string& path) const { return files_.count(path) > 0; }
  const std::string& name() const { return name_; }

 private:
  std::set<std::string> packages_;  // folders with __init__.py
  std::set<std::string> files_;
  std::set<std::string> helpers_;
  std::string name_;
};

// Whether a file is such a helper, by its first lines.
bool is_portable_helper(std::string_view bytes);
inline constexpr std::string_view kHelperName = "portable_device";

}  // namespace starbridge::port
