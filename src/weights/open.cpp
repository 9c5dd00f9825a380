// open_checkpoint: which reader a path wants, and shards put together.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "weights/checkpoint.h"
#include "weights/natural_order.h"
#include "weights/numpy_file.h"
#include "weights/safetensors.h"
#include "weights/torch_file.h"

namespace starbridge::weights {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
using base::text;

constexpr std::size_t kShardsMax = 10'000;
constexpr std::size_t kFirstBytes = 16;

bool ends_with(std::string_view word, std::string_view end) {
  return word.size() >= end.size() && word.substr(word.size() - end.size()) == end;
}

Error unknown_format(const std::string& path) {
  return Error("weights.unknown_format", text("this is neither safetensors nor a file of torch.save, numpy or pickle",
                                              "既不是 safetensors，也不是 torch.save、numpy 或 pickle 文件"))
      .at(path)
      .next(text("name a .safetensors, .pt, .pth, .bin, .ckpt, .npy or .npz file, a *.index.json, or a folder of shards",
                 "请给出 .safetensors、.pt、.pth、.bin、.ckpt、.npy、.npz 文件，*.index.json，或分片目录"));
}

Result<Checkpoint> open_file(const std::string& path) {
  SB_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  std::string first(std::min<std::uint64_t>(kFirstBytes, file->size()), '\0');
  SB_TRY_VOID(file->read(0, std::as_writable_bytes(std::span(first))));
  std::string_view start = first;
  if (looks_like_safetensors(start, file->size())) return read_safetensors(path);
  if (start.substr(0, 6) == "\x93NUMPY") return read_npy(path);
  if (start.substr(0, 2) == "PK") {
    Result<ZipReader> zip = ZipReader::open(*file);
    if (!zip.ok()) return std::move(zip).error().at(path);
    bool is_npz = !zip->entries().empty() && std::all_of(zip->entries().begin(), zip->entries().end(),
                                                         [](const ZipEntry& entry) { return ends_with(entry.name, ".npy"); });
    return is_npz ? read_npz(path) : read_torch_checkpoint(path);
  }
  // Pickles begin with PROTO or, before protocol 2, with the opcode of a container or of torch's magic number.
  if (start.size() >= 2 && (start[0] == '\x80' || std::string_view("(]}cL)").find(start[0]) != std::string_view::npos)) {
    Result<Checkpoint> read = read_torch_checkpoint(path);
    bool is_surely_pickle = start[0] == '\x80' && start[1] <= 5;
    if (read.ok() || is_surely_pickle) return read;
  }
  if (ends_with(path, ".safetensors")) return read_safetensors(path);  // its own errors say more
  return unknown_format(path);
}

// Moves the content of one shard behind that of the others.
void append(Checkpoint& whole, Checkpoint shard) {
  std::size_t first_storage = whole.storages.size();
  for (Tensor& tensor : shard.tensors) {
    if (tensor.storage != kNoStorage) tensor.storage += first_storage;
    tensor.shard = whole.files.size();
    whole.tensors.push_back(std::move(tensor));
  }
  std::move(shard.storages.begin(), shard.storages.end(), std::back_inserter(whole.storages));
  std::move(shard.sources.begin(), shard.sources.end(), std::back_inserter(whole.sources));
  std::move(shard.other_values.begin(), shard.other_values.end(), std::back_inserter(whole.other_values));
  std::move(shard.dangerous.begin(), shard.dangerous.end(), std::back_inserter(whole.dangerous));
  whole.other_value_count += shard.other_value_count;
  for (const auto& [name, count] : shard.closed_objects) whole.closed_objects[name] += count;
  for (auto& [key, value] : shard.metadata) whole.metadata.emplace(key, value);
  whole.file_bytes += shard.file_bytes;
  whole.files.push_back(shard.files[0]);
  whole.format = shard.format;
  whole.has_model_order = whole.has_model_order || shard.has_model_order;
}

Result<Checkpoint> open_shards(const std::string& path, const std::string& folder, const std::vector<std::string>& names) {
  Checkpoint whole;
  whole.path = path;
  for (const std::string& name : names) {
    SB_TRY(Checkpoint shard, open_file((folder.empty() ? "" : folder + "/") + name));
    if (!whole.files.empty() && shard.format != whole.format) {
      return Error("weights.malformed", text("the shards are of two formats", "分片格式不一致")).at(shard.path);
    }
    append(whole, std::move(shard));
  }
  std::set<std::string_view> seen;
  for (const Tensor& tensor : whole.tensors) {
    if (!seen.insert(tensor.name).second) {
      return Error("weights.malformed", text("two shards hold a tensor of this name", "两个分片含有同名张量"))
          .at({whole.files[tensor.shard], 0, 0, tensor.name});
    }
  }
  return whole;
}

// {"metadata": {...}, "weight_map": {"layer.weight": "model-00001-of-00002.safetensors", ...}}
Result<Checkpoint> open_index(const std::string& path) {
  SB_TRY(Json index, base::read_json(path));
  auto wrong = [&](const char* en, const char* zh, const std::string& field) {
    return Error("weights.malformed", {en, zh}).at({path, 0, 0, base::sanitize_utf8(field)});
  };
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    return wrong("an index needs a weight_map of tensor names to files", "索引需要 weight_map（张量名到文件名的映射）",
                 "weight_map");
  }
  std::set<std::string, NaturalLess> shards;
  for (const auto& [tensor, file] : index["weight_map"].items()) {
    if (!file.is_string()) return wrong("a file name was expected", "此处应为文件名", tensor);
    auto name = file.get<std::string>();
    if (!is_safe_path(name)) {
      return Error("weights.unsafe_name", text("the index points to a file outside of its folder: \"{}\"",
                                               "索引指向目录之外的文件：“{}”", base::sanitize_utf8(name)))
          .at({path, 0, 0, base::sanitize_utf8(tensor)});
    }
    shards.insert(name);
    if (shards.size() > kShardsMax)
      return Error("weights.limit", text("there are more shards than {}", "分片数超过 {}", kShardsMax)).at(path);
  }
  if (shards.empty()) return wrong("the weight_map is empty", "weight_map 为空", "weight_map");
  SB_TRY(Checkpoint whole, open_shards(path, fs::path(path).parent_path().string(), {shards.begin(), shards.end()}));
  std::map<std::string_view, std::size_t> held;
  for (const Tensor& tensor : whole.tensors) held[tensor.name] = tensor.shard;
  for (const auto& [tensor, file] : index["weight_map"].items()) {
    auto found = held.find(base::sanitize_utf8(tensor));
    if (found == held.end() || !ends_with(whole.files[found->second], file.get<std::string>())) {
      return wrong("the file that the index names for this tensor does not hold it", "索引所指的文件中没有该张量", tensor);
    }
  }
  if (std::size_t listed = index["weight_map"].size(); whole.tensors.size() > listed) {
    whole.remarks.push_back(text("{} tensors of the shards are not in the index; loaders that follow it leave them out",
                                 "分片中有 {} 个张量不在索引里；按索引加载时会被忽略", whole.tensors.size() - listed));
  }
  return whole;
}

Result<Checkpoint> open_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(path, failure)) names.push_back(entry.path().filename().string());
  if (failure) return base::io_error(failure.value(), text("cannot read the folder", "无法读取目录"), path);
  std::sort(names.begin(), names.end(), NaturalLess{});
  for (const char* suffix : {".safetensors.index.json", ".bin.index.json", ".index.json"}) {
    std::vector<std::string> indices;
    for (const std::string& name : names) {
      if (ends_with(name, suffix)) indices.push_back(name);
    }
    if (indices.size() == 1) return open_index(path + "/" + indices[0]);
    if (indices.size() > 1) {
      return Error("weights.unknown_format", text("there are several indices in this folder", "该目录中有多个索引"))
          .at(path)
          .next(text("name one: {}", "请指定其一：{}", base::sanitize_utf8(indices[0])));
    }
  }
  for (std::initializer_list<const char*> suffixes :
       {std::initializer_list<const char*>{".safetensors"}, {".bin", ".pt", ".pth", ".ckpt"}}) {
    std::vector<std::string> shards;
    for (const std::string& name : names) {
      if (std::any_of(suffixes.begin(), suffixes.end(), [&](const char* suffix) { return ends_with(name, suffix); }))
        shards.push_back(name);
    }
    if (!shards.empty() && shards.size() <= kShardsMax) return open_shards(path, path, shards);
  }
  return Error("weights.unknown_format", text("there are no weights in this folder", "该目录中没有权重文件")).at(path);
}

Result<Checkpoint> open_any(const std::string& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return open_folder(path);
  if (ends_with(path, ".index.json")) return open_index(path);
  return open_file(path);
}

}  // namespace

Result<Checkpoint> open_checkpoint(const std::string& path) {
  SB_TRY(Checkpoint checkpoint, open_any(path));
  // A storage may stand under several names, but a million views of one large storage would be endless work.
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : checkpoint.tensors) {
    if (tensor.storage != kNoStorage) bytes += std::min(byte_count(tensor), UINT64_MAX - bytes);
  }
  if (bytes > kRepetitionFloorBytes && bytes / kRepetitionMax > checkpoint.file_bytes) {
    return Error("weights.limit", text("the tensors repeat the {} bytes of the file to {} bytes",
                                       "张量把文件的 {} 字节重复展开为 {} 字节", checkpoint.file_bytes, bytes))
        .at(path);
  }
  return checkpoint;
}

}  // namespace starbridge::weights
