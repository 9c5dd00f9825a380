#include "weights/numpy_file.h"

#include <algorithm>
#include <charconv>

#include "weights/bytes.h"
#include "weights/torch_finder.h"
#include "weights/zip_reader.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kHeaderBytesMax = 1 << 20;

Error malformed() { return Error("weights.malformed", text("the header of the array is malformed", "数组头部有误")); }

// A reader of the few literals that a header is made of.
class Literal {
 public:
  explicit Literal(std::string_view text) : rest_(text) {}
  bool take(char wanted) {
    skip();
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take_text(std::string& out) {
    skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool take_number(std::uint64_t& out) {
    skip();
    auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (problem != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // Python 2
    return true;
  }
  bool is_at_end() {
    skip();
    return rest_.empty();
  }

 private:
  void skip() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

bool take_shape(Literal& literal, std::vector<std::uint64_t>& shape) {
  if (!literal.take('(')) return false;
  while (!literal.take(')')) {
    std::uint64_t size = 0;
    if (!literal.take_number(size) || shape.size() >= kDimensionsMax) return false;
    shape.push_back(size);
    if (!literal.take(',')) return literal.take(')');
  }
  return true;
}

// Adds the array that `source` holds to the checkpoint.
Status add_array(Checkpoint& checkpoint, const ByteSource& source, const std::string& name) {
  char start[12] = {};
  if (source.size() < 10) return malformed();
  SB_TRY_VOID(source.read(0, std::as_writable_bytes(std::span(start)).first(std::min<std::size_t>(12, source.size()))));
  int major = static_cast<unsigned char>(start[6]);
  if (std::string_view(start, kMagic.size()) != kMagic || major < 1 || major > 3) return malformed();
  std::uint64_t prefix = major == 1 ? 10 : 12;
  std::uint64_t header_bytes = major == 1 ? load_le<std::uint16_t>(start + 8) : load_le<std::uint32_t>(start + 8);
  if (source.size() < prefix || header_bytes > kHeaderBytesMax || header_bytes > source.size() - prefix) return malformed();
  PartSource header_source(source, prefix, header_bytes);
  SB_TRY(std::string header_text, read_all(header_source, kHeaderBytesMax, name));
  SB_TRY(NpyHeader header, parse_npy_header(header_text));
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = header.dtype;
  tensor.shape = header.shape;
  tensor.device = "cpu";
  tensor.strides = contiguous_strides(header.shape);
  if (header.is_fortran) {
    std::vector<std::uint64_t> reversed(header.shape.rbegin(), header.shape.rend());
    tensor.strides = contiguous_strides(reversed);
    std::reverse(tensor.strides.begin(), tensor.strides.end());
  }
  std::uint64_t data_bytes = source.size() - prefix - header_bytes;
  SB_TRY_VOID(check_layout(tensor, data_bytes));
  if (byte_count(tensor) != data_bytes) {
    return Error("weights.malformed", text("the array {} needs {} bytes and has {}", "数组 {} 需要 {} 字节，实有 {} 字节",
                                           shape_text(tensor.shape), byte_count(tensor), data_bytes));
  }
  tensor.storage = checkpoint.storages.size();
  checkpoint.storages.push_back({name, "cpu", &source, prefix + header_bytes, data_bytes, header.is_big_endian});
  checkpoint.tensors.push_back(std::move(tensor));
  return {};
}

std::string stem_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  constexpr std::string_view kSuffix = ".npy";
  if (name.size() > kSuffix.size() && std::string_view(name).substr(name.size() - kSuffix.size()) == kSuffix) {
    name.resize(name.size() - kSuffix.size());
  }
  return base::sanitize_utf8(name);
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view header_text) {
  NpyHeader header;
  Literal literal(header_text);
  bool has_dtype = false, has_order = false, has_shape = false;
  if (!literal.take('{')) return malformed();
  while (!literal.take('}')) {
    std::string key, descriptor;
    if (!literal.take_text(key) || !literal.take(':')) return malformed();
    if (key == "descr") {
      if (!literal.take_text(descriptor) || !parse_numpy_descriptor(descriptor, header.dtype, header.is_big_endian)) {
        return Error("weights.unsupported",
                     text("arrays of type \"{}\" are not compared: only numbers are", "不支持类型为“{}”的数组，只支持数值类型",
                          base::sanitize_utf8(descriptor.empty() ? "record" : descriptor)));
      }
      has_dtype = true;
    } else if (key == "fortran_order") {
      header.is_fortran = literal.take_word("True");
      if (!header.is_fortran && !literal.take_word("False")) return malformed();
      has_order = true;
    } else if (key == "shape") {
      header.shape.clear();
      if (!take_shape(literal, header.shape)) return malformed();
      has_shape = true;
    } else {
      return malformed();
    }
    if (!literal.take(',')) {
      if (!literal.take('}')) return malformed();
      break;
    }
  }
  if (!has_dtype || !has_order || !has_shape || !literal.is_at_end()) return malformed();
  return header;
}

Result<Checkpoint> read_npy(const std::string& path) {
  SB_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.format = Format::kNumpy;
  checkpoint.files = {path};
  checkpoint.file_bytes = file->size();
  Status added = add_array(checkpoint, *file, stem_of(path));
  if (!added.ok()) return std::move(added).error().at(path);
  checkpoint.sources.push_back(std::move(file));
  return checkpoint;
}

Result<Checkpoint> read_npz(const std::string& path) {
  SB_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  Result<ZipReader> zip = ZipReader::open(*file);
  if (!zip.ok()) return std::move(zip).error().at(path);
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.format = Format::kNumpy;
  checkpoint.files = {path};
  checkpoint.file_bytes = file->size();
  checkpoint.has_model_order = true;
  for (const ZipEntry& entry : zip->entries()) {
    checkpoint.sources.push_back(zip->source_of(entry));
    Status added = add_array(checkpoint, *checkpoint.sources.back(), stem_of(entry.name));
    if (!added.ok()) return std::move(added).error().at(path).in_field(base::sanitize_utf8(entry.name));
  }
  checkpoint.sources.push_back(std::move(file));
  return checkpoint;
}

}  // namespace starbridge::weights
