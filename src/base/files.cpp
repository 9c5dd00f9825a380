#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace starbridge::base {
namespace {

struct FileDescriptor {
  int value = -1;
  ~FileDescriptor() {
    if (value >= 0) ::close(value);
  }
};

std::string environment_or(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

Status write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error(errno, text("cannot write the file", "无法写入文件"), path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void sync_directory(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  FileDescriptor descriptor{::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (descriptor.value >= 0) ::fsync(descriptor.value);  // some file systems refuse this; the rename itself is still atomic
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  FileDescriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (descriptor.value < 0) return io_error(errno, text("cannot open the file", "无法打开文件"), path);
  struct stat info {};
  if (::fstat(descriptor.value, &info) != 0) return io_error(errno, text("cannot read the file", "无法读取文件"), path);
  if (!S_ISREG(info.st_mode)) {
    return Error("base.not_a_file", text("this is not a regular file", "这不是普通文件"))
        .at(path)
        .next(text("name a file", "请给出文件名"));
  }
  auto too_large = [&] {
    return Error("base.document_too_large",
                 text("the file is larger than the limit of {} bytes", "文件超过 {} 字节的上限", bytes_max))
        .at(path);
  };
  if (static_cast<std::uint64_t>(info.st_size) > bytes_max) return too_large();
  // One byte more than the size, so that a file that did not grow is read without a second allocation.
  std::string content(static_cast<std::size_t>(info.st_size) + 1, '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled == content.size()) {
      if (filled > bytes_max) return too_large();
      content.resize(filled + 4096);  // the file may have grown, or be one of /proc with size 0
    }
    ssize_t got = ::read(descriptor.value, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(errno, text("cannot read the file", "无法读取文件"), path);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  if (filled > bytes_max) return too_large();
  return content;
}

namespace {
Status replace_file(const std::string& path, std::string_view content, unsigned mode, bool is_flushed) {
  std::string scratch = path + ".starbridge-XXXXXX";
  FileDescriptor descriptor{::mkostemp(scratch.data(), O_CLOEXEC)};
  if (descriptor.value < 0) return io_error(errno, text("cannot create the file", "无法创建文件"), path);
  auto fail = [&](Error error) -> Status {
    ::unlink(scratch.c_str());
    return error;
  };
  if (Status written = write_all(descriptor.value, content, path); !written.ok()) return fail(std::move(written).error());
  if (::fchmod(descriptor.value, mode) != 0 || (is_flushed && ::fsync(descriptor.value) != 0)) {
    return fail(io_error(errno, text("cannot write the file", "无法写入文件"), path));
  }
  if (::rename(scratch.c_str(), path.c_str()) != 0) {
    return fail(io_error(errno, text("cannot put the file in its place", "无法把文件放到位"), path));
  }
  if (is_flushed) sync_directory(path);
  return {};
}
}  // namespace

Status write_file_atomically(const std::string& path, std::string_view content, unsigned mode) {
  return replace_file(path, content, mode, true);
}

Status write_cache_file(const std::string& path, std::string_view content, unsigned mode) {
  return replace_file(path, content, mode, false);
}

Status make_directories(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) return io_error(failure.value(), text("cannot create the folder", "无法创建目录"), path);
  return {};
}

std::string cache_directory() {
  std::string cache = environment_or("XDG_CACHE_HOME", environment_or("HOME", "/root") + "/.cache");
  return environment_or("STARBRIDGE_CACHE", cache + "/starbridge");
}

std::string home_directory() {
  std::string data = environment_or("XDG_DATA_HOME", environment_or("HOME", "/root") + "/.local/share");
  return environment_or("STARBRIDGE_HOME", data + "/starbridge");
}

Result<std::string> installation_root() {
  if (const char* root = std::getenv("STARBRIDGE_ROOT"); root != nullptr && *root != '\0') return std::string(root);
  std::error_code failure;
  std::filesystem::path place = std::filesystem::read_symlink("/proc/self/exe", failure);
  while (!failure && place.has_relative_path()) {
    place = place.parent_path();
    if (std::filesystem::is_directory(place / "data" / "chips", failure)) return place.string();
    failure.clear();
    if (std::filesystem::is_directory(place / "share" / "starbridge" / "data" / "chips", failure)) {
      return (place / "share" / "starbridge").string();
    }
    failure.clear();
  }
  return Error("base.file_not_found", text("the folder with StarBridge's data was not found", "找不到 StarBridge 的数据目录"))
      .at("data/chips")
      .next(text("set STARBRIDGE_ROOT to the folder that holds data/", "请把 STARBRIDGE_ROOT 设为包含 data/ 的目录"));
}

}  // namespace starbridge::base
