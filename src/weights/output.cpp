#include "weights/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace starbridge::weights {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kBufferBytes = 1 << 20;

Error exists(const std::string& path, bool may_be_forced) {
  Error error("base.file_exists", text("there is something of this name already", "已有同名文件或目录"));
  std::move(error).at(path);
  return may_be_forced
             ? std::move(error).next(text("choose another name, or --force to replace it", "请换一个名字，或用 --force 覆盖"))
             : std::move(error).next(text("choose another name", "请换一个名字"));
}

Status write_at(int descriptor, std::uint64_t offset, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return base::io_error(errno, text("cannot write the file", "无法写入文件"), path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

void sync_folder_of(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  Descriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) ::fsync(descriptor.get());  // refused by some file systems; the rename is whole all the same
}

std::string temporary_beside(const std::string& path) {
  fs::path whole(path);
  return (whole.parent_path() / ("." + whole.filename().string() + ".starbridge-XXXXXX")).string();
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, bool replaces) {
  struct stat status {};
  bool is_there = ::lstat(path.c_str(), &status) == 0;
  if (is_there && (!replaces || !S_ISREG(status.st_mode))) return exists(path, S_ISREG(status.st_mode));
  std::string temporary = temporary_beside(path);
  Descriptor descriptor(::mkostemp(temporary.data(), O_CLOEXEC));
  if (descriptor.get() < 0) return base::io_error(errno, text("cannot create the file", "无法创建文件"), path);
  mode_t mask = ::umask(0);  // mkostemp makes files that only their owner reads
  ::umask(mask);
  ::fchmod(descriptor.get(), 0666 & ~mask);
  return OutputFile(std::move(descriptor), path, std::move(temporary), replaces);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replaces_(other.replaces_),
      buffer_(std::move(other.buffer_)),
      flushed_(other.flushed_) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return buffer_.size() >= kBufferBytes ? flush() : Status{};
}

Status OutputFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  SB_CHECK(offset + bytes.size() <= position());
  SB_TRY_VOID(flush());
  return write_at(descriptor_.get(), offset, bytes, path_);
}

Status OutputFile::flush() {
  SB_TRY_VOID(write_at(descriptor_.get(), flushed_, buffer_, path_));
  flushed_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status OutputFile::commit() {
  SB_TRY_VOID(flush());
  if (::fsync(descriptor_.get()) != 0) return base::io_error(errno, text("cannot write the file", "无法写入文件"), path_);
  // A link fails when the name is taken meanwhile; a rename would replace what came there.
  bool is_named = false;
  if (!replaces_) {
    if (::link(temporary_.c_str(), path_.c_str()) == 0) {
      is_named = true;
      ::unlink(temporary_.c_str());
    } else if (errno == EEXIST) {
      return exists(path_, true);
    }
  }
  if (!is_named && ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return base::io_error(errno, text("cannot name the file", "无法命名文件"), path_);
  }
  temporary_.clear();
  sync_folder_of(path_);
  return {};
}

Result<OutputFolder> OutputFolder::create(const std::string& path) {
  std::string wanted = without_slashes(path);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(wanted, failure)) && !(fs::is_directory(wanted, failure) && fs::is_empty(wanted, failure))) {
    return exists(wanted, false);
  }
  std::string temporary = temporary_beside(wanted);
  if (::mkdtemp(temporary.data()) == nullptr)
    return base::io_error(errno, text("cannot create the folder", "无法创建目录"), wanted);
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(temporary.c_str(), 0777 & ~mask);
  return OutputFolder(std::move(wanted), std::move(temporary));
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

OutputFolder::~OutputFolder() {
  std::error_code failure;
  if (!temporary_.empty()) fs::remove_all(temporary_, failure);
}

Status OutputFolder::commit() {
  // Takes the place of an empty folder, and of nothing else.
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
               ? exists(path_, false)
               : base::io_error(errno, text("cannot name the folder", "无法命名目录"), path_);
  }
  temporary_.clear();
  sync_folder_of(path_);
  return {};
}

}  // namespace starbridge::weights
