#include "weights/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "weights/output.h"
#include "weights/report.h"
#include "weights/tensor_plan.h"
#include "weights/tensor_reader.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Json;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kPieceElements = 64 << 10;
constexpr std::size_t kShardsMax = 10'000;

std::string_view suffix_of(Format format) { return format == Format::kSafetensors ? "safetensors" : "bin"; }
std::string_view stem_of(Format format) { return format == Format::kSafetensors ? "model" : "pytorch_model"; }

Result<std::vector<PlannedTensor>> plan_tensors(const Checkpoint& checkpoint, const ConvertOptions& options,
                                                std::map<std::string, std::string>& metadata, ConvertReport& report) {
  std::vector<PlannedTensor> planned;
  std::vector<std::size_t> tied = tied_to(checkpoint);
  std::uint64_t doubled_bytes = 0;
  for (std::size_t index = 0; index < checkpoint.tensors.size(); ++index) {
    const Tensor& tensor = checkpoint.tensors[index];
    if (tensor.storage == kNoStorage) {
      report.dropped_values.push_back(tensor.name);
      ++report.dropped_value_count;
      continue;
    }
    auto target = options.dtypes.find(tensor.dtype);
    PlannedTensor item{&tensor, target == options.dtypes.end() ? tensor.dtype : target->second,
                       options.devices.apply(tensor.device), 0};
    if (item.device.empty()) item.device = "cpu";
    if (!bytes_of(item.dtype, element_count(tensor), item.bytes)) {
      return Error("weights.limit", text("the tensor would be too large", "张量过大")).in_field(tensor.name);
    }
    if (tied[index] != SIZE_MAX && options.drops_tied && options.format == Format::kSafetensors) {
      metadata[tensor.name] = checkpoint.tensors[tied[index]].name;
      continue;
    }
    if (tied[index] != SIZE_MAX) doubled_bytes += item.bytes;
    ++report.devices[{tensor.device, options.format == Format::kSafetensors ? "" : item.device}];
    planned.push_back(std::move(item));
  }
  if (doubled_bytes > 0 && options.format == Format::kSafetensors) {
    report.remarks.push_back(
        text("tied tensors are written under each of their names ({} bytes more); --drop-tied writes them once",
             "共享张量按每个名称各写一份（多 {} 字节）；--drop-tied 只写一份", doubled_bytes));
  }
  return planned;
}

// Each shard takes tensors in order until the next one would not fit; a larger tensor gets a shard of its own.
std::vector<std::vector<PlannedTensor>> cut(std::vector<PlannedTensor> tensors, std::uint64_t shard_bytes) {
  std::vector<std::vector<PlannedTensor>> shards(1);
  std::uint64_t bytes = 0;
  for (PlannedTensor& tensor : tensors) {
    if (shard_bytes > 0 && !shards.back().empty() && (bytes + tensor.bytes > shard_bytes)) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += tensor.bytes;
    shards.back().push_back(std::move(tensor));
  }
  return shards;
}

Status write_file(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& tensors, const ConvertOptions& options,
                  const std::map<std::string, std::string>& metadata, OutputFile& file, ConvertReport& report) {
  SB_TRY_VOID(options.format == Format::kSafetensors ? write_safetensors(checkpoint, tensors, metadata, file, report)
                                                     : write_torch(checkpoint, tensors, file, report));
  report.bytes += file.position();
  return {};
}

Status write_shards(const Checkpoint& checkpoint, const std::vector<std::vector<PlannedTensor>>& shards, const std::string& to,
                    const ConvertOptions& options, const std::map<std::string, std::string>& metadata, ConvertReport& report) {
  if (shards.size() > kShardsMax) {
    return Error("base.usage",
                 text("there would be {} shards, more than {}", "将产生 {} 个分片，超过 {}", shards.size(), kShardsMax))
        .next(text("choose larger shards", "请增大分片"));
  }
  SB_TRY(OutputFolder folder, OutputFolder::create(to));
  Json map = Json::object();
  std::uint64_t total = 0;
  for (std::size_t index = 0; index < shards.size(); ++index) {
    std::string name =
        fmt::format("{}-{:05}-of-{:05}.{}", stem_of(options.format), index + 1, shards.size(), suffix_of(options.format));
    SB_TRY(OutputFile file, OutputFile::create(folder.temporary() + "/" + name, false));
    SB_TRY_VOID(write_file(checkpoint, shards[index], options, metadata, file, report));
    SB_TRY_VOID(file.commit());
    for (const PlannedTensor& tensor : shards[index]) {
      map[tensor.source->name] = name;
      total += tensor.bytes;
    }
    report.files.push_back(to + "/" + name);
  }
  SB_TRY_VOID(check_overflow(options, report));
  std::string index_name = fmt::format("{}.{}.index.json", stem_of(options.format), suffix_of(options.format));
  SB_TRY(OutputFile index, OutputFile::create(folder.temporary() + "/" + index_name, false));
  SB_TRY_VOID(index.write(base::to_string({{"metadata", {{"total_size", total}}}, {"weight_map", map}}) + "\n"));
  SB_TRY_VOID(index.commit());
  report.files.push_back(to + "/" + index_name);
  return folder.commit();
}

}  // namespace

Status check_overflow(const ConvertOptions& options, const ConvertReport& report) {
  for (const auto& [types, counts] : report.conversions) {
    bool is_whole = info(types.first).kind == Kind::kInteger && info(types.second).kind == Kind::kInteger;
    if (counts.overflow == 0 || (!options.refuses_overflow && !is_whole)) continue;
    return Error("weights.lossy_conversion", text("{} numbers of type {} do not fit into {}; nothing was written",
                                                  "有 {} 个 {} 数值无法放入 {}；未写入任何内容", counts.overflow,
                                                  info(types.first).name, info(types.second).name))
        .next(text("choose a wider type", "请选择更宽的类型"));
  }
  return {};
}

Status stream_tensor(const Checkpoint& checkpoint, const PlannedTensor& planned, ConversionCounts& counts,
                     const PieceSink& sink) {
  DType from = planned.source->dtype, to = planned.dtype;
  TensorReader reader(checkpoint, *planned.source);
  std::size_t from_bytes = item_bytes(from), to_bytes = item_bytes(to);
  std::vector<std::byte> in(kPieceElements * from_bytes), out(from == to ? 0 : kPieceElements * to_bytes);
  while (reader.position() < reader.byte_count()) {
    std::uint64_t left = (reader.byte_count() - reader.position()) / from_bytes;
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceElements, left));
    std::span<std::byte> piece = std::span(in).first(count * from_bytes);
    SB_TRY_VOID(reader.read(piece));
    if (from == to) {
      SB_TRY_VOID(sink(piece));
      continue;
    }
    std::span<std::byte> converted = std::span(out).first(count * to_bytes);
    convert_elements(from, piece, to, converted, counts);
    SB_TRY_VOID(sink(converted));
  }
  return {};
}

Result<ConvertReport> convert(const std::string& from, const std::string& to, const ConvertOptions& options) {
  ConvertReport report;
  std::error_code failure;
  if (std::filesystem::equivalent(from, to, failure)) {
    return Error("base.usage", text("both names are the same file", "两个名称指向同一文件")).at(to);
  }
  if (options.format == Format::kTorchZip && options.shard_bytes == 0 && !std::filesystem::is_directory(from, failure)) {
    SB_TRY(bool is_done, rewrite_torch(from, to, options, report));
    if (is_done) return report;
  }
  SB_TRY(Checkpoint checkpoint, open_checkpoint(from));
  report.dropped_values = checkpoint.other_values;
  report.dropped_value_count = checkpoint.other_value_count;
  for (const auto& [name, count] : checkpoint.closed_objects) {
    report.dropped_values.push_back(name);
    report.dropped_value_count += count;
  }
  std::map<std::string, std::string> metadata = checkpoint.metadata;
  SB_TRY(std::vector<PlannedTensor> tensors, plan_tensors(checkpoint, options, metadata, report));
  report.tensor_count = tensors.size();
  if (options.format == Format::kSafetensors) {
    metadata.try_emplace("format", "pt");  // loaders of the transformers family ask for it
    if (!options.devices.is_empty()) {
      report.remarks.push_back(text("safetensors keeps no device tags; --device changes nothing in it",
                                    "safetensors 不保存设备标签；--device 对其无影响"));
    }
  }
  if (options.shard_bytes > 0) {
    SB_TRY_VOID(write_shards(checkpoint, cut(std::move(tensors), options.shard_bytes), to, options, metadata, report));
    return report;
  }
  SB_TRY(OutputFile file, OutputFile::create(to, options.replaces));
  SB_TRY_VOID(write_file(checkpoint, tensors, options, metadata, file, report));
  SB_TRY_VOID(check_overflow(options, report));
  SB_TRY_VOID(file.commit());
  report.files.push_back(to);
  return report;
}

}  // namespace starbridge::weights
