// rewrite_torch: a torch file with device tags and element types changed and everything else kept: the pickle is edited in place,
// storages are converted whole.
#include <algorithm>
#include <optional>

#include "weights/bytes.h"
#include "weights/output.h"
#include "weights/pickle_edit.h"
#include "weights/safetensors.h"
#include "weights/tensor_plan.h"
#include "weights/torch_file.h"
#include "weights/zip_writer.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kPieceElements = 64 << 10;

struct StoragePlan {
  DType from = DType::kU8;
  DType to = DType::kU8;
  bool is_known = false;  // `from` is what the elements are; otherwise only bytes are known
  std::uint64_t bytes = 0;
  bool is_converted() const { return from != to; }
};

class Rewriter {
 public:
  Rewriter(const TorchFile& torch, const ConvertOptions& options, ConvertReport& report)
      : torch_(torch), options_(options), report_(report) {}

  Status write(const std::string& to) {
    SB_TRY_VOID(plan());
    SB_TRY_VOID(wish_all());
    pickle_ = edit_pickle(torch_.pickle_text, torch_.pickle, wishes_);
    SB_TRY_VOID(check_edited());
    SB_TRY(OutputFile file, OutputFile::create(to, options_.replaces));
    SB_TRY_VOID(torch_.format == Format::kTorchZip ? write_zip(file) : write_legacy(file));
    SB_TRY_VOID(check_overflow(options_, report_));
    report_.bytes = file.position();
    return file.commit();
  }

 private:
  Status plan();
  void find_element_type(std::size_t index, StoragePlan& plan);
  Status wish_all();
  Status wish(NodeId tuple, std::size_t item, std::string encoded);
  Status check_edited();
  Status write_zip(OutputFile& file);
  Status write_legacy(OutputFile& file);
  Status write_storage(std::size_t index, const PieceSink& sink);

  const TorchFile& torch_;
  const ConvertOptions& options_;
  ConvertReport& report_;
  std::vector<StoragePlan> plans_;
  std::vector<Wish> wishes_;
  std::string pickle_;
};

// Untyped storages have the type of the tensors that stand on them, when those agree.
void Rewriter::find_element_type(std::size_t index, StoragePlan& plan) {
  const StorageClaim& claim = torch_.objects.storages[index];
  if (!claim.is_untyped) {
    plan.from = claim.dtype;
    plan.is_known = true;
    return;
  }
  std::optional<DType> type;
  bool is_clear = true;
  for (const Tensor& tensor : torch_.objects.tensors) {
    if (tensor.storage != index) continue;
    is_clear = is_clear && (!type || *type == tensor.dtype);
    type = tensor.dtype;
  }
  for (const Mention& mention : torch_.objects.mentions)
    is_clear = is_clear && (mention.storage != index || mention.arguments != kNoNode);
  plan.is_known = type.has_value() && is_clear && claim.bytes % item_bytes(*type) == 0;
  if (plan.is_known) plan.from = *type;
}

Status Rewriter::plan() {
  for (std::size_t index = 0; index < torch_.objects.storages.size(); ++index) {
    const StorageClaim& claim = torch_.objects.storages[index];
    StoragePlan plan;
    plan.bytes = claim.bytes;
    find_element_type(index, plan);
    plan.to = plan.from;
    auto target = options_.dtypes.find(plan.from);
    if (plan.is_known && target != options_.dtypes.end()) plan.to = target->second;
    if (plan.is_converted() && claim.has_inline_bytes) {
      report_.remarks.push_back(text("a numpy array inside the pickle keeps its type", "pickle 内的 numpy 数组保持原类型"));
      plan.to = plan.from;
    }
    bool needs_new_call = plan.is_converted() && !claim.is_untyped && info(plan.to).torch_storage.empty();
    bool is_old_view = plan.is_converted() && claim.key.find('@') != std::string::npos;
    if (needs_new_call || is_old_view) {
      return Error("weights.unsupported", text("storages of {} cannot become {} in place", "{} 存储无法就地转换为 {}",
                                               info(plan.from).name, info(plan.to).name))
          .next(text("use --format safetensors, which writes the tensors anew", "请用 --format safetensors，重新写出张量"));
    }
    if (plan.is_converted()) plan.bytes = plan.bytes / item_bytes(plan.from) * item_bytes(plan.to);
    if (torch_.storages[index].is_big_endian && !claim.has_inline_bytes &&
        (!plan.is_known || torch_.format == Format::kTorchLegacy)) {
      return Error("weights.unsupported",
                   text("this file of a big-endian machine cannot be rewritten in place", "大端机器的文件无法就地改写"))
          .next(text("use --format safetensors, which writes the tensors anew", "请用 --format safetensors，重新写出张量"));
    }
    plans_.push_back(plan);
  }
  for (const Tensor& tensor : torch_.objects.tensors) {
    if (tensor.storage == kNoStorage) continue;
    SB_TRY_VOID(check_layout(tensor, torch_.storages[tensor.storage].bytes));
    ++report_.devices[{tensor.device, options_.devices.apply(tensor.device)}];
  }
  report_.tensor_count = torch_.objects.tensors.size();
  return {};
}

Status Rewriter::wish(NodeId tuple, std::size_t item, std::string encoded) {
  auto sites = torch_.pickle.tuple_sites.find(tuple);
  if (sites == torch_.pickle.tuple_sites.end()) {
    return Error("weights.unsupported",
                 text("the pickle is written in an unusual way and cannot be edited", "pickle 写法特殊，无法就地编辑"))
        .next(text("use --format safetensors, which writes the tensors anew", "请用 --format safetensors，重新写出张量"));
  }
  wishes_.push_back({torch_.pickle.node(tuple).items[item], sites->second[item], std::move(encoded)});
  return {};
}

Status Rewriter::wish_all() {
  for (const auto& [tuple, index] : torch_.objects.storage_ids) {
    const StorageClaim& claim = torch_.objects.storages[index];
    const StoragePlan& plan = plans_[index];
    std::string tag(torch_.pickle.node(torch_.pickle.node(tuple).items[3]).text);
    std::string new_tag = options_.devices.apply(tag);
    if (new_tag != tag) SB_TRY_VOID(wish(tuple, 3, encode_text(new_tag)));
    if (!plan.is_converted()) continue;
    if (claim.is_untyped) {
      SB_TRY_VOID(wish(tuple, 4, encode_number(plan.bytes)));
    } else {
      SB_TRY_VOID(wish(tuple, 1, encode_global("torch", info(plan.to).torch_storage)));
    }
  }
  constexpr std::size_t kDtypeArgument = 6;  // of _rebuild_tensor_v3
  for (const Mention& mention : torch_.objects.mentions) {
    if (!plans_[mention.storage].is_converted() || mention.rebuilder != "_rebuild_tensor_v3") continue;
    SB_TRY_VOID(wish(mention.arguments, kDtypeArgument, encode_global("torch", info(plans_[mention.storage].to).name)));
  }
  return {};
}

// Reads the edited pickle again: it must hold the same tensors with the new tags and types, or nothing is written.
Status Rewriter::check_edited() {
  SB_TRY(Pickle pickle, read_pickle(pickle_));
  SB_TRY(TorchObjects objects, find_tensors(pickle));
  bool is_same =
      objects.tensors.size() == torch_.objects.tensors.size() && objects.other_value_count == torch_.objects.other_value_count;
  for (std::size_t index = 0; is_same && index < objects.tensors.size(); ++index) {
    const Tensor &now = objects.tensors[index], &before = torch_.objects.tensors[index];
    is_same =
        now.name == before.name && now.shape == before.shape && now.strides == before.strides && now.offset == before.offset;
    if (before.storage == kNoStorage) continue;
    is_same = is_same && now.storage == before.storage && now.device == options_.devices.apply(before.device) &&
              now.dtype == (plans_[before.storage].is_converted() ? plans_[before.storage].to : before.dtype);
  }
  if (is_same) return {};
  return Error("weights.unsupported",
               text("the pickle is written in an unusual way and cannot be edited", "pickle 写法特殊，无法就地编辑"))
      .next(text("use --format safetensors, which writes the tensors anew", "请用 --format safetensors，重新写出张量"));
}

Status Rewriter::write_storage(std::size_t index, const PieceSink& sink) {
  const Storage& storage = torch_.storages[index];
  const StoragePlan& plan = plans_[index];
  ConversionCounts kept;
  ConversionCounts& counts = plan.is_converted() ? report_.conversions[{plan.from, plan.to}] : kept;
  std::size_t item = item_bytes(plan.from), width = item_bytes(info(plan.from).component);
  std::vector<std::byte> in(kPieceElements * item), out(plan.is_converted() ? kPieceElements * item_bytes(plan.to) : 0);
  std::uint64_t total = torch_.objects.storages[index].bytes;
  for (std::uint64_t offset = 0; offset < total;) {
    auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), total - offset));
    std::span<std::byte> piece = std::span(in).first(bytes);
    SB_TRY_VOID(storage.source->read(storage.offset + offset, piece));
    if (storage.is_big_endian && width > 1) swap_bytes(reinterpret_cast<char*>(piece.data()), bytes, width);
    offset += bytes;
    if (!plan.is_converted()) {
      SB_TRY_VOID(sink(piece));
      continue;
    }
    std::span<std::byte> converted = std::span(out).first(bytes / item * item_bytes(plan.to));
    convert_elements(plan.from, piece, plan.to, converted, counts);
    SB_TRY_VOID(sink(converted));
  }
  return {};
}

Status Rewriter::write_zip(OutputFile& file) {
  std::map<std::string, std::size_t> storages;
  for (std::size_t index = 0; index < plans_.size(); ++index) {
    const StorageClaim& claim = torch_.objects.storages[index];
    if (!claim.has_inline_bytes) storages[torch_.prefix + "data/" + claim.key] = index;
  }
  ZipWriter zip(file);
  for (const ZipEntry& entry : torch_.zip->entries()) {
    if (entry.name.back() == '/') continue;
    if (entry.name == torch_.prefix + "data.pkl") {
      SB_TRY_VOID(zip.add(entry.name, pickle_));
      continue;
    }
    if (entry.name == torch_.prefix + "byteorder") {
      SB_TRY_VOID(zip.add(entry.name, "little"));
      continue;
    }
    auto sink = [&](std::span<const std::byte> piece) { return zip.write(piece); };
    if (auto storage = storages.find(entry.name); storage != storages.end()) {
      SB_TRY_VOID(zip.begin(entry.name, plans_[storage->second].bytes));
      SB_TRY_VOID(write_storage(storage->second, sink));
    } else {
      std::unique_ptr<ByteSource> source = torch_.zip->source_of(entry);
      SB_TRY_VOID(zip.begin(entry.name, entry.bytes));
      std::vector<std::byte> piece(kPieceElements);
      for (std::uint64_t offset = 0; offset < entry.bytes; offset += piece.size()) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceElements, entry.bytes - offset)));
        SB_TRY_VOID(source->read(offset, piece));
        SB_TRY_VOID(zip.write(piece));
      }
    }
    SB_TRY_VOID(zip.end());
  }
  return zip.finish();
}

Status Rewriter::write_legacy(OutputFile& file) {
  PartSource head(*torch_.file, 0, torch_.pickle_offset);
  std::uint64_t keys_begin = torch_.pickle_offset + torch_.pickle.size;
  PartSource keys(*torch_.file, keys_begin, torch_.keys_end - keys_begin);
  for (const auto& [part, middle] : {std::pair(&head, &pickle_), std::pair(&keys, static_cast<std::string*>(nullptr))}) {
    SB_TRY(std::string bytes, read_all(*part, kPickleBytesMax, "pickle"));
    SB_TRY_VOID(file.write(bytes));
    if (middle != nullptr) SB_TRY_VOID(file.write(*middle));
  }
  for (std::size_t index : torch_.legacy_storages) {
    const StorageClaim& claim = torch_.objects.storages[index];
    std::uint64_t bytes = plans_[index].bytes;
    std::string count;
    append_le<std::uint64_t>(count, claim.is_untyped ? bytes : bytes / item_bytes(plans_[index].to));
    SB_TRY_VOID(file.write(count));
    SB_TRY_VOID(write_storage(index, [&](std::span<const std::byte> piece) { return file.write(piece); }));
  }
  return {};
}

// Files whose own pickle can be kept.
Result<bool> is_torch_file(const std::string& path) {
  SB_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  char first[16] = {};
  std::size_t bytes = std::min<std::uint64_t>(sizeof first, file->size());
  SB_TRY_VOID(file->read(0, std::as_writable_bytes(std::span(first)).first(bytes)));
  std::string_view start(first, bytes);
  if (looks_like_safetensors(start, file->size()) || start.substr(0, 6) == "\x93NUMPY") return false;
  return start.substr(0, 2) == "PK" || start.substr(0, 1) == "\x80";
}

}  // namespace

Result<bool> rewrite_torch(const std::string& from, const std::string& to, const ConvertOptions& options, ConvertReport& report) {
  SB_TRY(bool is_torch, is_torch_file(from));
  if (!is_torch) return false;
  Result<std::unique_ptr<TorchFile>> torch = read_torch_file(from, true);
  if (!torch.ok() && torch.error().code() == "weights.unknown_format") return false;  // .npz
  if (!torch.ok()) return std::move(torch).error();
  if ((*torch)->format == Format::kPickle) return false;
  for (const StorageClaim& claim : (*torch)->objects.storages) {
    // Storage views of files before PyTorch 0.4 share their root's bytes under other keys.
    if (claim.key.find('@') != std::string::npos) return false;
  }
  Status written = Rewriter(**torch, options, report).write(to);
  if (!written.ok()) return std::move(written).error();
  report.is_rewritten = true;
  report.files.push_back(to);
  return true;
}

}  // namespace starbridge::weights
