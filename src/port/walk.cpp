#include "port/walk.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

namespace starbridge::port {
namespace {

using base::text;

TreeEntry::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return TreeEntry::Kind::kFile;
  if (S_ISDIR(mode)) return TreeEntry::Kind::kDirectory;
  if (S_ISLNK(mode)) return TreeEntry::Kind::kSymlink;
  return TreeEntry::Kind::kOther;
}

FileStamp stamp_of(const struct stat& info) {
  auto nanoseconds = [](const timespec& time) { return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec; };
  return {info.st_dev, info.st_ino, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

bool is_version_control(std::string_view name) { return name == ".git" || name == ".hg" || name == ".svn"; }

}  // namespace

bool is_skipped_folder(const std::string& path) {
  static constexpr std::array<std::string_view, 8> kSkipped = {
      "__pycache__", "node_modules", ".venv", "venv", "site-packages", ".tox", ".mypy_cache", ".ipynb_checkpoints"};
  for (const auto& part : std::filesystem::path(path)) {
    if (std::find(kSkipped.begin(), kSkipped.end(), part.string()) != kSkipped.end()) return true;
  }
  return false;
}

base::Result<std::vector<TreeEntry>> walk_tree(const std::string& root, std::vector<std::string>* unreadable) {
  struct stat info {};
  if (::stat(root.c_str(), &info) != 0) return base::io_error(errno, text("cannot read the project", "无法读取项目"), root);
  std::vector<TreeEntry> entries;
  if (S_ISREG(info.st_mode)) {
    entries.push_back({std::filesystem::path(root).filename().string(), TreeEntry::Kind::kFile,
                       static_cast<std::uint64_t>(info.st_size), info.st_mode & 07777, stamp_of(info)});
    return entries;
  }
  if (!S_ISDIR(info.st_mode)) {
    return base::Error("base.not_a_directory", text("a project is a folder or a file", "项目应为目录或文件")).at(root);
  }
  std::vector<std::string> folders = {""};
  while (!folders.empty()) {
    std::string folder = std::move(folders.back());
    folders.pop_back();
    std::string full = folder.empty() ? root : root + "/" + folder;
    DIR* stream = ::opendir(full.c_str());
    if (stream == nullptr) {
      if (folder.empty()) return base::io_error(errno, text("cannot read the project", "无法读取项目"), root);
      if (unreadable != nullptr) unreadable->push_back(folder);
      continue;
    }
    while (dirent* entry = ::readdir(stream)) {
      std::string name = entry->d_name;
      if (name == "." || name == ".." || is_version_control(name)) continue;
      std::string path = folder.empty() ? name : folder + "/" + name;
      if (::lstat((root + "/" + path).c_str(), &info) != 0) continue;  // gone meanwhile
      TreeEntry::Kind kind = kind_of(info.st_mode);
      if (kind == TreeEntry::Kind::kDirectory) folders.push_back(path);
      entries.push_back({std::move(path), kind, static_cast<std::uint64_t>(info.st_size), info.st_mode & 07777, stamp_of(info)});
    }
    ::closedir(stream);
    if (entries.size() > kTreeEntriesMax) {
      return base::Error("port.tree_too_large", text("the project has more than {} files", "项目文件数超过 {}", kTreeEntriesMax))
          .at(root)
          .next(text("scan its parts one by one", "请分部分扫描"));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const TreeEntry& left, const TreeEntry& right) { return left.path < right.path; });
  return entries;
}

}  // namespace starbridge::port
