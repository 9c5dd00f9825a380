#include "weights/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::uint64_t kLengthBytes = 8;

struct Row {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;
  int fields = 0;  // a bit for each field seen
};
enum Field { kDtype = 1, kShape = 2, kOffsets = 4 };

// Takes the header as the parser meets it: a file may name a million tensors, and a tree of them would cost ten times the text.
// The shape is fixed: {name: {"dtype": text, "shape": [..], "data_offsets": [a, b]}, "__metadata__": {text: text}}.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Row> rows;
  std::map<std::string, std::string> metadata;
  const char* problem_en = nullptr;
  const char* problem_zh = nullptr;
  std::string problem_field;

  bool key(string_t& name) override {
    if (depth_ == 1) {
      name_ = name;
      if (!names_.insert(name).second) return refuse("a name comes twice", "名称重复");
      is_metadata_ = name == "__metadata__";
      return true;
    }
    field_ = name;
    return depth_ == 2 || refuse("there is a value too deep inside", "嵌套过深");
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 1) return true;
    if (depth_ > 2 || is_array_) return refuse("there is a value too deep inside", "嵌套过深");
    if (!is_metadata_) rows.push_back({name_, {}, {}, {}, 0});
    return rows.size() <= kTensorsMax || refuse("there are more tensors than the limit", "张量数超过上限");
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 1 && !is_metadata_ && rows.back().fields != (kDtype | kShape | kOffsets)) {
      return refuse("a tensor lacks its dtype, shape or data_offsets", "张量缺少 dtype、shape 或 data_offsets");
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || is_metadata_ || is_array_) return refuse("a list stands where none belongs", "此处不应有列表");
    is_array_ = true;
    if (field_ == "shape") return once(kShape);
    if (field_ == "data_offsets") return once(kOffsets);
    return refuse("a field is not known", "未知字段");
  }
  bool end_array() override {
    is_array_ = false;
    return true;
  }
  bool string(string_t& value) override {
    if (depth_ != 2 || is_array_) return refuse("a text stands where none belongs", "此处不应有文本");
    if (is_metadata_) {
      metadata[base::sanitize_utf8(field_)] = base::sanitize_utf8(value);
      return true;
    }
    if (field_ != "dtype") return refuse("a field is not known", "未知字段");
    rows.back().dtype = value;
    return once(kDtype);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!is_array_) return refuse("a number stands where none belongs", "此处不应有数字");
    std::vector<std::uint64_t>& list = field_ == "shape" ? rows.back().shape : rows.back().offsets;
    list.push_back(value);
    return list.size() <= kDimensionsMax || refuse("a tensor has too many dimensions", "张量维数过多");
  }
  bool number_integer(number_integer_t) override { return refuse("a number is negative", "数字为负"); }
  bool number_float(number_float_t, const string_t&) override { return refuse("a number is not whole", "数字不是整数"); }
  bool null() override { return refuse("null stands where none belongs", "此处不应有 null"); }
  bool boolean(bool) override { return refuse("a truth value stands where none belongs", "此处不应有布尔值"); }
  bool binary(binary_t&) override { return refuse("the header is no JSON", "头部不是 JSON"); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return refuse("the header is no valid JSON", "头部不是合法的 JSON");
  }

 private:
  bool refuse(const char* en, const char* zh) {
    if (problem_en == nullptr) {
      problem_en = en;
      problem_zh = zh;
      problem_field = name_;
    }
    return false;
  }
  bool once(Field field) {
    if ((rows.back().fields & field) != 0) return refuse("a field comes twice", "字段重复");
    rows.back().fields |= field;
    return true;
  }
  int depth_ = 0;
  bool is_array_ = false;
  bool is_metadata_ = false;
  std::string name_;
  std::string field_;
  std::unordered_set<std::string> names_;
};

Result<Tensor> tensor_of(const Row& row) {
  std::string name = base::sanitize_utf8(row.name);
  std::optional<DType> dtype = dtype_from_safetensors(row.dtype);
  if (!dtype) {
    return Error("weights.unsupported", text("the type \"{}\" is not known here", "未知类型“{}”", base::sanitize_utf8(row.dtype)))
        .in_field(name);
  }
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = *dtype;
  tensor.shape = row.shape;
  tensor.strides = contiguous_strides(row.shape);
  if (row.offsets.size() != 2 || row.offsets[0] > row.offsets[1]) {
    return Error("weights.malformed", text("data_offsets must be two numbers, the first not above the second",
                                           "data_offsets 应为两个数字，且前者不大于后者"))
        .in_field(name);
  }
  std::uint64_t storage_bytes = row.offsets[1] - row.offsets[0];
  SB_TRY_VOID(check_layout(tensor, storage_bytes));
  if (byte_count(tensor) != storage_bytes) {
    return Error("weights.malformed", text("the tensor {} {} needs {} bytes, but data_offsets gives it {}",
                                           "张量 {} {} 需要 {} 字节，而 data_offsets 给出 {} 字节", info(*dtype).name,
                                           shape_text(row.shape), byte_count(tensor), storage_bytes))
        .in_field(name);
  }
  return tensor;
}

}  // namespace

bool looks_like_safetensors(std::string_view first_bytes, std::uint64_t file_bytes) {
  if (first_bytes.size() < kLengthBytes + 1) return false;
  auto header_bytes = load_le<std::uint64_t>(first_bytes.data());
  return first_bytes[kLengthBytes] == '{' && header_bytes > 1 &&
         (header_bytes < file_bytes || header_bytes <= kSafetensorsHeaderBytesMax);
}

Result<Checkpoint> read_safetensors(const std::string& path) {
  SB_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.format = Format::kSafetensors;
  checkpoint.files = {path};
  checkpoint.file_bytes = file->size();
  auto malformed = [&](const char* en, const char* zh) { return Error("weights.malformed", {en, zh}).at(path); };
  char length[kLengthBytes];
  if (file->size() < kLengthBytes) return malformed("the file is shorter than the length of a header", "文件比头部长度字段还短");
  SB_TRY_VOID(file->read(0, std::as_writable_bytes(std::span(length))));
  auto header_bytes = load_le<std::uint64_t>(length);
  if (header_bytes > kSafetensorsHeaderBytesMax) {
    return Error("weights.limit", text("the header claims {} bytes, more than the format's limit of {}",
                                       "头部声明 {} 字节，超过该格式的上限 {}", header_bytes, kSafetensorsHeaderBytesMax))
        .at(path);
  }
  if (header_bytes > file->size() - kLengthBytes)
    return malformed("the header reaches beyond the end of the file", "头部超出文件末尾");
  PartSource header(*file, kLengthBytes, header_bytes);
  SB_TRY(std::string json, read_all(header, kSafetensorsHeaderBytesMax, path));
  HeaderHandler handler;
  if (!nlohmann::json::sax_parse(json, &handler) || handler.problem_en != nullptr) {
    Error error("weights.malformed", {handler.problem_en != nullptr ? handler.problem_en : "the header is no valid JSON",
                                      handler.problem_zh != nullptr ? handler.problem_zh : "头部不是合法的 JSON"});
    return std::move(error).at({path, 0, 0, base::sanitize_utf8(handler.problem_field)});
  }
  checkpoint.metadata = std::move(handler.metadata);
  std::sort(handler.rows.begin(), handler.rows.end(),
            [](const Row& left, const Row& right) { return left.offsets < right.offsets; });
  std::uint64_t data_offset = kLengthBytes + header_bytes, end = 0;
  for (const Row& row : handler.rows) {
    Result<Tensor> read = tensor_of(row);
    if (!read.ok()) return std::move(read).error().at({path, 0, 0, base::sanitize_utf8(row.name)});
    Tensor tensor = std::move(read).value();
    if (row.offsets[0] != end) {
      return Error("weights.tensor_out_of_range", row.offsets[0] < end ? text("two tensors share bytes", "两个张量占用相同字节")
                                                                       : text("there is a hole of {} bytes before this tensor",
                                                                              "该张量之前有 {} 字节的空洞", row.offsets[0] - end))
          .at({path, 0, 0, base::sanitize_utf8(row.name)});
    }
    end = row.offsets[1];
    if (end > file->size() - data_offset) {
      return Error("weights.tensor_out_of_range",
                   text("the tensor ends at byte {} of the data, which has {}", "张量结束于数据第 {} 字节，而数据只有 {} 字节",
                        end, file->size() - data_offset))
          .at({path, 0, 0, base::sanitize_utf8(row.name)});
    }
    tensor.storage = checkpoint.storages.size();
    checkpoint.storages.push_back({"", "", file.get(), data_offset + row.offsets[0], row.offsets[1] - row.offsets[0], false});
    checkpoint.tensors.push_back(std::move(tensor));
  }
  if (end != file->size() - data_offset)
    return malformed("there are bytes after the last tensor", "最后一个张量之后还有多余字节");
  checkpoint.sources.push_back(std::move(file));
  return checkpoint;
}

}  // namespace starbridge::weights
