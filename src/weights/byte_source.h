// ByteSource: a run of bytes that is read piece by piece: a file, a part of one, an inflated entry of an archive, memory.
// Files are read, not mapped: a file that is cut short while it is read then gives an error and no signal.
// Reading is safe from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/result.h"

namespace starbridge::weights {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Fills `out` with the bytes from `offset`. Errors: base.io_failed, weights.malformed when the bytes are not there.
  virtual base::Status read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  // Says that these bytes will be wanted soon.
  virtual void prefetch([[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::uint64_t bytes) const {}
};

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : value_(other.value_) { other.value_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return value_; }

 private:
  int value_;
};

class FileSource final : public ByteSource {
 public:
  // Errors: base.file_not_found, base.not_a_file, base.no_permission.
  static base::Result<std::unique_ptr<FileSource>> open(const std::string& path);
  // Takes an open descriptor, e.g. of a temporary file without a name.
  FileSource(Descriptor descriptor, std::uint64_t size, std::string path)
      : descriptor_(std::move(descriptor)), size_(size), path_(std::move(path)) {}

  std::uint64_t size() const override { return size_; }
  base::Status read(std::uint64_t offset, std::span<std::byte> out) const override;
  void prefetch(std::uint64_t offset, std::uint64_t bytes) const override;
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
  std::uint64_t size_;
  std::string path_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  base::Status read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  std::string bytes_;
};

// A part of another source, which must outlive it.
class PartSource final : public ByteSource {
 public:
  PartSource(const ByteSource& whole, std::uint64_t offset, std::uint64_t size) : whole_(whole), offset_(offset), size_(size) {}
  std::uint64_t size() const override { return size_; }
  base::Status read(std::uint64_t offset, std::span<std::byte> out) const override;
  void prefetch(std::uint64_t offset, std::uint64_t bytes) const override { whole_.prefetch(offset_ + offset, bytes); }

 private:
  const ByteSource& whole_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

// A deflated part of another source. It is inflated at the first read into a temporary file without a name, and its size and
// CRC-32 are checked then.
class InflatedSource final : public ByteSource {
 public:
  struct Entry {
    std::uint64_t offset = 0;
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;
    std::string name;  // for errors
  };
  InflatedSource(const ByteSource& whole, Entry entry) : whole_(whole), entry_(std::move(entry)) {}
  std::uint64_t size() const override { return entry_.bytes; }
  base::Status read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  base::Status inflate() const;
  const ByteSource& whole_;
  Entry entry_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<FileSource> inflated_;
};

// All bytes of a source. Error: base.document_too_large beyond `bytes_max`.
base::Result<std::string> read_all(const ByteSource& source, std::uint64_t bytes_max, const std::string& name);

}  // namespace starbridge::weights
