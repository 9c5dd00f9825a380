// write_safetensors and write_torch: new files from tensors.
#include <algorithm>
#include <optional>

#include "base/json.h"
#include "weights/bytes.h"
#include "weights/safetensors.h"
#include "weights/tensor_plan.h"
#include "weights/zip_writer.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Json;
using base::Status;
using base::text;

// Streams one tensor and adds its counts to the report; a tensor that keeps its type has none.
Status write_tensor(const Checkpoint& checkpoint, const PlannedTensor& tensor, ConvertReport& report, const PieceSink& sink) {
  ConversionCounts none;
  bool is_kept = tensor.source->dtype == tensor.dtype;
  return stream_tensor(checkpoint, tensor, is_kept ? none : report.conversions[{tensor.source->dtype, tensor.dtype}], sink);
}

Error no_place_for(const PlannedTensor& tensor, std::string_view format) {
  return Error("weights.unsupported", text("{} has no type {}", "{} 不支持类型 {}", format, info(tensor.dtype).name))
      .in_field(tensor.source->name)
      .next(text("convert it with --dtype {}=TYPE, or choose another --format", "用 --dtype {}=类型 转换，或换一种 --format",
                 info(tensor.dtype).name));
}

// Pickle, protocol 2, in the opcodes that torch's weights_only reader takes.
class PickleWriter {
 public:
  void raw(std::string_view opcodes) { out_ += opcodes; }
  void word(std::string_view word) {
    out_ += 'X';
    append_le(out_, static_cast<std::uint32_t>(word.size()));
    out_ += word;
  }
  void number(std::uint64_t value) {
    if (value < 256) {
      out_ += 'K';
      out_ += static_cast<char>(value);
    } else if (value <= INT32_MAX) {
      out_ += 'J';
      append_le(out_, static_cast<std::int32_t>(value));
    } else {
      out_ += "\x8a\x09";  // nine bytes, the last being the sign
      append_le(out_, value);
      out_ += '\0';
    }
  }
  void numbers(const std::vector<std::uint64_t>& values) {
    out_ += '(';
    for (std::uint64_t value : values) number(value);
    out_ += 't';
  }
  void global(std::string_view module, std::string_view name) {
    out_ += 'c';
    out_ += module;
    out_ += '\n';
    out_ += name;
    out_ += '\n';
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

// A new pickle with an OrderedDict of tensors; storage N is that of the Nth tensor.
std::string pickle_of(const std::vector<PlannedTensor>& tensors) {
  PickleWriter pickle;
  pickle.raw("\x80\x02");
  pickle.global("collections", "OrderedDict");
  pickle.raw(")R(");
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    const PlannedTensor& tensor = tensors[index];
    const DTypeInfo& type = info(tensor.dtype);
    bool is_typed = !type.torch_storage.empty();
    std::uint64_t count = element_count(*tensor.source);
    pickle.word(tensor.source->name);
    pickle.global("torch._utils", is_typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    pickle.raw("((");
    pickle.word("storage");
    is_typed ? pickle.global("torch", type.torch_storage) : pickle.global("torch.storage", "UntypedStorage");
    pickle.word(std::to_string(index));
    pickle.word(tensor.device);
    pickle.number(is_typed ? count : tensor.bytes);
    pickle.raw("tQ");
    pickle.number(0);
    pickle.numbers(tensor.source->shape);
    pickle.numbers(contiguous_strides(tensor.source->shape));
    pickle.raw(tensor.source->requires_grad ? "\x88" : "\x89");
    pickle.global("collections", "OrderedDict");
    pickle.raw(")R");
    if (!is_typed) pickle.global("torch", type.name);
    pickle.raw("tR");
  }
  pickle.raw("u.");
  return pickle.text();
}

}  // namespace

Status write_safetensors(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& tensors,
                         const std::map<std::string, std::string>& metadata, OutputFile& file, ConvertReport& report) {
  // Wide types first, as the format's own writer does, so that every tensor is aligned to its elements.
  std::vector<const PlannedTensor*> order;
  for (const PlannedTensor& tensor : tensors) {
    if (info(tensor.dtype).safetensors.empty()) return no_place_for(tensor, "safetensors");
    order.push_back(&tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const PlannedTensor* left, const PlannedTensor* right) {
    return info(left->dtype).bits > info(right->dtype).bits;
  });
  std::string header = "{";
  if (!metadata.empty()) header += "\"__metadata__\":" + base::to_string(metadata, -1);
  std::uint64_t offset = 0;
  for (const PlannedTensor* tensor : order) {
    Json row = {{"dtype", std::string(info(tensor->dtype).safetensors)},
                {"shape", tensor->source->shape},
                {"data_offsets", {offset, offset + tensor->bytes}}};
    header += (header.size() > 1 ? "," : "") + base::to_string(tensor->source->name, -1) + ":" + base::to_string(row, -1);
    offset += tensor->bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kSafetensorsHeaderBytesMax) {
    return Error("weights.limit", text("the header would have {} bytes, more than safetensors allows",
                                       "头部将有 {} 字节，超过 safetensors 的上限", header.size()));
  }
  std::string length;
  append_le<std::uint64_t>(length, header.size());
  SB_TRY_VOID(file.write(length + header));
  for (const PlannedTensor* tensor : order) {
    SB_TRY_VOID(write_tensor(checkpoint, *tensor, report, [&](std::span<const std::byte> piece) { return file.write(piece); }));
  }
  return {};
}

Status write_torch(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& tensors, OutputFile& file,
                   ConvertReport& report) {
  for (const PlannedTensor& tensor : tensors) {
    if (info(tensor.dtype).kind == Kind::kPacked || tensor.dtype == DType::kQI8 || tensor.dtype == DType::kQU8 ||
        tensor.dtype == DType::kQI32) {
      return no_place_for(tensor, "torch");
    }
  }
  ZipWriter zip(file);
  SB_TRY_VOID(zip.add("archive/data.pkl", pickle_of(tensors)));
  SB_TRY_VOID(zip.add("archive/byteorder", "little"));
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    SB_TRY_VOID(zip.begin("archive/data/" + std::to_string(index), tensors[index].bytes));
    SB_TRY_VOID(
        write_tensor(checkpoint, tensors[index], report, [&](std::span<const std::byte> piece) { return zip.write(piece); }));
    SB_TRY_VOID(zip.end());
  }
  SB_TRY_VOID(zip.add("archive/version", "3\n"));
  return zip.finish();
}

}  // namespace starbridge::weights
