#include "weights/zip_writer.h"

#include <zlib.h>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

using base::Status;

// APPNOTE 6.3.9, as in zip_reader.cpp.
constexpr std::uint16_t kVersion = 45;  // ZIP64
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kDate = 33;              // 1980-01-01: the same content gives the same file
constexpr std::uint16_t kPaddingExtra = 0x4246;  // "FB", torch's own
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCrcAt = 14;
constexpr std::uint64_t kNarrowMax = UINT32_MAX - 1;

std::uint32_t narrow(std::uint64_t value) { return value > kNarrowMax ? UINT32_MAX : static_cast<std::uint32_t>(value); }

}  // namespace

Status ZipWriter::begin(const std::string& name, std::uint64_t bytes) {
  SB_CHECK(left_ == 0);
  entries_.push_back({name, file_.position(), bytes, 0});
  std::string extra;
  if (bytes > kNarrowMax) {
    append_le<std::uint16_t>(extra, 1);
    append_le<std::uint16_t>(extra, 16);
    append_le(extra, bytes);
    append_le(extra, bytes);
  }
  std::uint64_t data_offset = file_.position() + kLocalBytes + name.size() + extra.size() + 4;
  std::size_t padding = (kAlignment - data_offset % kAlignment) % kAlignment;
  append_le(extra, kPaddingExtra);
  append_le(extra, static_cast<std::uint16_t>(padding));
  extra.append(padding, 'Z');
  std::string header;
  append_le<std::uint32_t>(header, 0x04034b50);
  append_le(header, kVersion);
  append_le(header, kUtf8Names);
  append_le<std::uint16_t>(header, 0);  // stored
  append_le<std::uint16_t>(header, 0);
  append_le(header, kDate);
  append_le<std::uint32_t>(header, 0);  // CRC-32, known at the end
  append_le(header, narrow(bytes));
  append_le(header, narrow(bytes));
  append_le(header, static_cast<std::uint16_t>(name.size()));
  append_le(header, static_cast<std::uint16_t>(extra.size()));
  left_ = bytes;
  return file_.write(header + name + extra);
}

Status ZipWriter::write(std::span<const std::byte> bytes) {
  SB_CHECK(bytes.size() <= left_);
  left_ -= bytes.size();
  Entry& entry = entries_.back();
  entry.crc32 = static_cast<std::uint32_t>(::crc32_z(entry.crc32, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  return file_.write(bytes);
}

Status ZipWriter::end() {
  SB_CHECK(left_ == 0);
  std::string crc;
  append_le(crc, entries_.back().crc32);
  return file_.overwrite(entries_.back().offset + kCrcAt, crc);
}

Status ZipWriter::add(const std::string& name, std::string_view bytes) {
  SB_TRY_VOID(begin(name, bytes.size()));
  SB_TRY_VOID(write(std::as_bytes(std::span(bytes))));
  return end();
}

Status ZipWriter::finish() {
  std::uint64_t directory_offset = file_.position();
  std::string directory;
  for (const Entry& entry : entries_) {
    std::string extra;
    if (entry.bytes > kNarrowMax) {
      append_le(extra, entry.bytes);
      append_le(extra, entry.bytes);
    }
    if (entry.offset > kNarrowMax) append_le(extra, entry.offset);
    if (!extra.empty()) {
      std::string head;
      append_le<std::uint16_t>(head, 1);
      append_le(head, static_cast<std::uint16_t>(extra.size()));
      extra = head + extra;
    }
    append_le<std::uint32_t>(directory, 0x02014b50);
    append_le(directory, kVersion);
    append_le(directory, kVersion);
    append_le(directory, kUtf8Names);
    append_le<std::uint16_t>(directory, 0);
    append_le<std::uint16_t>(directory, 0);
    append_le(directory, kDate);
    append_le(directory, entry.crc32);
    append_le(directory, narrow(entry.bytes));
    append_le(directory, narrow(entry.bytes));
    append_le(directory, static_cast<std::uint16_t>(entry.name.size()));
    append_le(directory, static_cast<std::uint16_t>(extra.size()));
    for (int field = 0; field < 3; ++field) append_le<std::uint16_t>(directory, 0);
    append_le<std::uint32_t>(directory, 0);
    append_le(directory, narrow(entry.offset));
    directory += entry.name + extra;
  }
  std::uint64_t end64_offset = directory_offset + directory.size();
  std::string end;
  if (end64_offset > kNarrowMax || entries_.size() >= UINT16_MAX) {
    append_le<std::uint32_t>(end, 0x06064b50);
    append_le<std::uint64_t>(end, 44);
    append_le(end, kVersion);
    append_le(end, kVersion);
    append_le<std::uint64_t>(end, 0);
    append_le<std::uint64_t>(end, entries_.size());
    append_le<std::uint64_t>(end, entries_.size());
    append_le<std::uint64_t>(end, directory.size());
    append_le<std::uint64_t>(end, directory_offset);
    append_le<std::uint32_t>(end, 0x07064b50);
    append_le<std::uint32_t>(end, 0);
    append_le<std::uint64_t>(end, end64_offset);
    append_le<std::uint32_t>(end, 1);
  }
  auto count = static_cast<std::uint16_t>(std::min<std::size_t>(entries_.size(), UINT16_MAX));
  append_le<std::uint32_t>(end, 0x06054b50);
  append_le<std::uint32_t>(end, 0);
  append_le(end, count);
  append_le(end, count);
  append_le(end, narrow(directory.size()));
  append_le(end, narrow(directory_offset));
  append_le<std::uint16_t>(end, 0);
  return file_.write(directory + end);
}

}  // namespace starbridge::weights
