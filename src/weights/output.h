// Output that is whole or not there: files and folders are written under another name beside the wanted one and renamed at the
// end. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "weights/byte_source.h"

namespace starbridge::weights {

class OutputFile {
 public:
  // Errors: base.file_exists unless `replaces`, base.no_permission, base.file_not_found (folder), base.disk_full.
  static base::Result<OutputFile> create(const std::string& path, bool replaces);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // removes what was not committed

  base::Status write(std::span<const std::byte> bytes);
  base::Status write(std::string_view bytes) { return write(std::as_bytes(std::span(bytes))); }
  // Overwrites bytes that were written before.
  base::Status overwrite(std::uint64_t offset, std::string_view bytes);
  std::uint64_t position() const { return flushed_ + buffer_.size(); }
  // Flushes to the disk and gives the file its name.
  base::Status commit();

 private:
  OutputFile(Descriptor descriptor, std::string path, std::string temporary, bool replaces)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), temporary_(std::move(temporary)), replaces_(replaces) {}
  base::Status flush();
  Descriptor descriptor_;
  std::string path_;
  std::string temporary_;  // empty once committed
  bool replaces_;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
};

class OutputFolder {
 public:
  // Errors: base.file_exists when there is anything of that name but an empty folder.
  static base::Result<OutputFolder> create(const std::string& path);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();
  // Where to write until the folder is committed.
  const std::string& temporary() const { return temporary_; }
  base::Status commit();

 private:
  OutputFolder(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}
  std::string path_;
  std::string temporary_;
};

}  // namespace starbridge::weights
