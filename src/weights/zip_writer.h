// ZipWriter: an archive as torch.save writes it: entries stored, their data at multiples of 64 bytes, ZIP64 where sizes need it.
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/output.h"

namespace starbridge::weights {

class ZipWriter {
 public:
  // `file` must outlive the writer and is committed by its owner.
  explicit ZipWriter(OutputFile& file) : file_(file) {}

  // An entry of exactly `bytes` bytes, given by write() in pieces.
  base::Status begin(const std::string& name, std::uint64_t bytes);
  base::Status write(std::span<const std::byte> bytes);
  base::Status end();
  base::Status add(const std::string& name, std::string_view bytes);
  // The directory. Nothing may follow.
  base::Status finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;
  };
  OutputFile& file_;
  std::vector<Entry> entries_;
  std::uint64_t left_ = 0;
};

}  // namespace starbridge::weights
