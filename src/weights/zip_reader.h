// ZipReader: the entries of a ZIP or ZIP64 archive, stored or deflated, none of which is trusted: names that leave the archive,
// entries that overlap, declared sizes beyond reason and headers that contradict each other are refused. Any thread once open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "weights/byte_source.h"

namespace starbridge::weights {

struct ZipEntry {
  std::string name;
  std::uint64_t data_offset = 0;  // of the packed bytes in the archive
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
  bool is_deflated = false;
};

class ZipReader {
 public:
  static constexpr std::uint64_t kEntriesMax = 1 << 20;
  static constexpr std::uint64_t kDirectoryBytesMax = 256U << 20;
  // Inflated, an archive may hold this many times its own size, or the floor if that is more.
  static constexpr std::uint64_t kInflationMax = 100;
  static constexpr std::uint64_t kInflationFloorBytes = 1U << 30;

  // `source` must outlive the reader. Errors: weights.malformed, weights.limit, weights.unsafe_name, weights.unsupported.
  static base::Result<ZipReader> open(const ByteSource& source);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;
  // Bytes of one entry; inflated at their first use.
  std::unique_ptr<ByteSource> source_of(const ZipEntry& entry) const;

 private:
  explicit ZipReader(const ByteSource& source) : source_(&source) {}
  base::Status index_names();
  const ByteSource* source_;
  std::vector<ZipEntry> entries_;     // in the order of the central directory
  std::vector<std::size_t> by_name_;  // indices, sorted
};

// A relative path without "..", empty parts, backslashes, drive letters or control characters.
bool is_safe_path(std::string_view path);

}  // namespace starbridge::weights
