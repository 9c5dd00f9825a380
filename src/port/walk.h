// Walk: the files of a project, in a stable order. Blocking; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::port {

// Tells that a file was written since, as far as the file system says so.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of the inode: also renames and writes that set the other time back

  bool operator==(const FileStamp&) const = default;
};

struct TreeEntry {
  enum class Kind { kFile, kDirectory, kSymlink, kOther };
  std::string path;  // relative, with '/'
  Kind kind = Kind::kFile;
  std::uint64_t size = 0;
  unsigned mode = 0644;
  FileStamp stamp;
};

constexpr std::size_t kTreeEntriesMax = 2'000'000;

// Everything below `root` except version control folders, sorted by path; links are listed, never followed, so loops end.
// `root` may be one file. Folders that cannot be read are listed in `unreadable`.
// Errors: base.file_not_found, base.no_permission (of the root), port.tree_too_large.
base::Result<std::vector<TreeEntry>> walk_tree(const std::string& root, std::vector<std::string>* unreadable);

// Folders whose files are copied but not analysed: caches, environments, third-party packages.
bool is_skipped_folder(const std::string& path);

}  // namespace starbridge::port
