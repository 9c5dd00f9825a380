#include "weights/zip_reader.h"

#include <algorithm>
#include <numeric>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::text;

// From PKWARE's APPNOTE 6.3.9.
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kCommentBytesMax = 65535;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFlagEncrypted = 1;

Error malformed(const char* en, const char* zh) { return Error("weights.malformed", {en, zh}); }

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

Result<std::string> read_piece(const ByteSource& source, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > source.size() || bytes > source.size() - offset) {
    return malformed("the archive points outside of itself", "压缩包内的位置超出文件范围");
  }
  std::string piece(static_cast<std::size_t>(bytes), '\0');
  SB_TRY_VOID(source.read(offset, std::as_writable_bytes(std::span(piece))));
  return piece;
}

Result<Directory> find_directory(const ByteSource& source) {
  std::uint64_t tail_bytes = std::min<std::uint64_t>(source.size(), kEndBytes + kCommentBytesMax);
  std::uint64_t tail_offset = source.size() - tail_bytes;
  SB_TRY(std::string tail, read_piece(source, tail_offset, tail_bytes));
  for (std::size_t at = tail.size() >= kEndBytes ? tail.size() - kEndBytes + 1 : 0; at-- > 0;) {
    const char* end = tail.data() + at;
    if (load_le<std::uint32_t>(end) != kEndSignature || load_le<std::uint16_t>(end + 20) != tail.size() - at - kEndBytes)
      continue;
    Directory directory{load_le<std::uint32_t>(end + 16), load_le<std::uint32_t>(end + 12), load_le<std::uint16_t>(end + 10)};
    std::uint64_t end_offset = tail_offset + at;
    bool is_zip64 = directory.offset == UINT32_MAX || directory.bytes == UINT32_MAX || directory.count == UINT16_MAX;
    if (end_offset >= kLocator64Bytes) {
      SB_TRY(std::string locator, read_piece(source, end_offset - kLocator64Bytes, kLocator64Bytes));
      if (load_le<std::uint32_t>(locator.data()) == kLocator64Signature) {
        SB_TRY(std::string end64, read_piece(source, load_le<std::uint64_t>(locator.data() + 8), kEnd64Bytes));
        if (load_le<std::uint32_t>(end64.data()) != kEnd64Signature) {
          return malformed("the ZIP64 end record is damaged", "ZIP64 结束记录已损坏");
        }
        return Directory{load_le<std::uint64_t>(end64.data() + 48), load_le<std::uint64_t>(end64.data() + 40),
                         load_le<std::uint64_t>(end64.data() + 32)};
      }
    }
    if (is_zip64) return malformed("the ZIP64 end record is missing", "缺少 ZIP64 结束记录");
    return directory;
  }
  return malformed("the end of the archive is missing: the file is cut short or no ZIP archive",
                   "找不到压缩包结尾：文件被截断或不是 ZIP 压缩包");
}

// Takes the 64-bit values for those fields that hold all ones, in the fixed order of the format.
bool read_zip64_extra(std::string_view extra, ZipEntry& entry, std::uint64_t& local_offset) {
  bool wants = entry.bytes == UINT32_MAX || entry.packed_bytes == UINT32_MAX || local_offset == UINT32_MAX;
  while (extra.size() >= 4) {
    auto id = load_le<std::uint16_t>(extra.data());
    std::size_t size = load_le<std::uint16_t>(extra.data() + 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return false;
    if (id == kZip64Extra) {
      std::string_view values = extra.substr(0, size);
      for (std::uint64_t* field : {&entry.bytes, &entry.packed_bytes, &local_offset}) {
        if (*field != UINT32_MAX) continue;
        if (values.size() < 8) return false;
        *field = load_le<std::uint64_t>(values.data());
        values.remove_prefix(8);
      }
      return true;
    }
    extra.remove_prefix(size);
  }
  return !wants;
}

// Where the data of an entry begins; the local header must name the same entry.
Result<std::uint64_t> data_offset_of(const ByteSource& source, const ZipEntry& entry, std::uint64_t local_offset) {
  SB_TRY(std::string local, read_piece(source, local_offset, kLocalBytes));
  if (load_le<std::uint32_t>(local.data()) != kLocalSignature) {
    return malformed("the header of an entry is damaged", "条目头部已损坏").in_field(base::sanitize_utf8(entry.name));
  }
  std::uint64_t name_bytes = load_le<std::uint16_t>(local.data() + 26);
  SB_TRY(std::string name, read_piece(source, local_offset + kLocalBytes, name_bytes));
  if (name != entry.name) {
    return malformed("the directory and the header of an entry give it different names", "目录与条目头部的名称不一致")
        .in_field(base::sanitize_utf8(entry.name));
  }
  return local_offset + kLocalBytes + name_bytes + load_le<std::uint16_t>(local.data() + 28);
}

struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
  std::size_t entry;
};

// Takes one entry off the front of the directory.
Result<ZipEntry> take_entry(const ByteSource& source, std::string_view& rest, std::uint64_t& local_offset) {
  if (rest.size() < kCentralBytes || load_le<std::uint32_t>(rest.data()) != kCentralSignature) {
    return malformed("the directory of the archive is damaged", "压缩包目录已损坏");
  }
  std::size_t name_bytes = load_le<std::uint16_t>(rest.data() + 28);
  std::size_t extra_bytes = load_le<std::uint16_t>(rest.data() + 30);
  std::size_t comment_bytes = load_le<std::uint16_t>(rest.data() + 32);
  std::size_t whole = kCentralBytes + name_bytes + extra_bytes + comment_bytes;
  if (whole > rest.size()) return malformed("the directory of the archive is damaged", "压缩包目录已损坏");
  ZipEntry entry;
  entry.name = std::string(rest.substr(kCentralBytes, name_bytes));
  auto flags = load_le<std::uint16_t>(rest.data() + 8);
  auto method = load_le<std::uint16_t>(rest.data() + 10);
  entry.crc32 = load_le<std::uint32_t>(rest.data() + 16);
  entry.packed_bytes = load_le<std::uint32_t>(rest.data() + 20);
  entry.bytes = load_le<std::uint32_t>(rest.data() + 24);
  local_offset = load_le<std::uint32_t>(rest.data() + 42);
  bool has_sizes = read_zip64_extra(rest.substr(kCentralBytes + name_bytes, extra_bytes), entry, local_offset);
  rest.remove_prefix(whole);
  std::string shown = base::sanitize_utf8(entry.name);
  if (!has_sizes) return malformed("the sizes of an entry are damaged", "条目大小信息已损坏").in_field(shown);
  bool is_folder = !entry.name.empty() && entry.name.back() == '/';
  if (!is_safe_path(is_folder ? std::string_view(entry.name).substr(0, entry.name.size() - 1) : entry.name)) {
    return Error("weights.unsafe_name",
                 text("the archive names an entry outside of itself: \"{}\"", "压缩包条目名称越界：“{}”", shown));
  }
  if ((flags & kFlagEncrypted) != 0) {
    return Error("weights.unsupported", text("the archive is encrypted", "压缩包已加密")).in_field(shown);
  }
  if (method != kStored && method != kDeflated) {
    return Error("weights.unsupported", text("compression method {} is not known here", "不支持压缩方法 {}", method))
        .in_field(shown);
  }
  entry.is_deflated = method == kDeflated;
  if (!entry.is_deflated && entry.packed_bytes != entry.bytes) {
    return malformed("a stored entry has two sizes", "未压缩条目的两个大小不一致").in_field(shown);
  }
  SB_TRY(entry.data_offset, data_offset_of(source, entry, local_offset));
  if (entry.data_offset > source.size() || entry.packed_bytes > source.size() - entry.data_offset) {
    return malformed("an entry reaches beyond the end of the archive", "条目超出压缩包末尾").in_field(shown);
  }
  return entry;
}

base::Status check_inflated_bytes(const std::vector<ZipEntry>& entries, std::uint64_t archive_bytes) {
  std::uint64_t inflated = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.is_deflated) inflated += std::min(entry.bytes, UINT64_MAX - inflated);
  }
  if (inflated <= ZipReader::kInflationFloorBytes || inflated / ZipReader::kInflationMax <= archive_bytes) return {};
  return Error("weights.limit", text("the archive would inflate to {} bytes, more than {} times its size",
                                     "压缩包解压后将达 {} 字节，超过自身大小的 {} 倍", inflated, ZipReader::kInflationMax));
}

base::Status check_overlap(std::vector<Extent> extents, const std::vector<ZipEntry>& entries) {
  std::sort(extents.begin(), extents.end(), [](const Extent& left, const Extent& right) { return left.begin < right.begin; });
  for (std::size_t index = 1; index < extents.size(); ++index) {
    if (extents[index].begin >= extents[index - 1].end) continue;
    return malformed("two entries of the archive share bytes", "压缩包中有两个条目重叠")
        .in_field(base::sanitize_utf8(entries[extents[index].entry].name));
  }
  return {};
}

}  // namespace

bool is_safe_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find(':') == 1) return false;
  for (unsigned char c : path) {
    if (c < 0x20 || c == 0x7f || c == '\\') return false;
  }
  while (!path.empty()) {
    std::size_t slash = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(std::min(path.size(), slash + 1));
  }
  return true;
}

Result<ZipReader> ZipReader::open(const ByteSource& source) {
  SB_TRY(Directory directory, find_directory(source));
  if (directory.count > kEntriesMax || directory.bytes > kDirectoryBytesMax) {
    return Error("weights.limit", text("the archive has {} entries, more than the limit of {}", "压缩包有 {} 个条目，超过上限 {}",
                                       directory.count, kEntriesMax));
  }
  SB_TRY(std::string bytes, read_piece(source, directory.offset, directory.bytes));
  ZipReader reader(source);
  std::vector<Extent> extents;
  std::string_view rest = bytes;
  for (std::uint64_t index = 0; index < directory.count; ++index) {
    std::uint64_t local_offset = 0;
    SB_TRY(ZipEntry entry, take_entry(source, rest, local_offset));
    extents.push_back({local_offset, entry.data_offset + entry.packed_bytes, reader.entries_.size()});
    reader.entries_.push_back(std::move(entry));
  }
  SB_TRY_VOID(check_inflated_bytes(reader.entries_, source.size()));
  SB_TRY_VOID(check_overlap(std::move(extents), reader.entries_));
  SB_TRY_VOID(reader.index_names());
  return reader;
}

base::Status ZipReader::index_names() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::size_t left, std::size_t right) { return entries_[left].name < entries_[right].name; });
  for (std::size_t index = 1; index < by_name_.size(); ++index) {
    const std::string& name = entries_[by_name_[index]].name;
    if (name != entries_[by_name_[index - 1]].name) continue;
    return malformed("two entries of the archive have one name", "压缩包中有两个条目同名").in_field(base::sanitize_utf8(name));
  }
  return {};
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                [&](std::size_t index, std::string_view wanted) { return entries_[index].name < wanted; });
  return found != by_name_.end() && entries_[*found].name == name ? &entries_[*found] : nullptr;
}

std::unique_ptr<ByteSource> ZipReader::source_of(const ZipEntry& entry) const {
  if (!entry.is_deflated) return std::make_unique<PartSource>(*source_, entry.data_offset, entry.bytes);
  return std::make_unique<InflatedSource>(
      *source_, InflatedSource::Entry{entry.data_offset, entry.packed_bytes, entry.bytes, entry.crc32, entry.name});
}

}  // namespace starbridge::weights
