#include "weights/torch_file.h"

#include <algorithm>
#include <unordered_map>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

// 0x1950a86a20f9469cfc6c, as protocols 1 and up and as protocol 0 write it.
constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::string_view kMagicDigits = "119547037146038801333356";
constexpr std::int64_t kLegacyProtocol = 1001;
constexpr std::string_view kPickleName = "data.pkl";

Error malformed(const char* en, const char* zh) { return Error("weights.malformed", {en, zh}); }

Status read_zip(TorchFile& torch, bool keeps_sites) {
  SB_TRY(torch.zip, ZipReader::open(*torch.file));
  const ZipEntry* pickle = nullptr;
  for (const ZipEntry& entry : torch.zip->entries()) {
    std::size_t slash = entry.name.find('/');
    if (slash != std::string::npos && std::string_view(entry.name).substr(slash + 1) == kPickleName) pickle = &entry;
  }
  if (pickle == nullptr) {
    return Error("weights.unknown_format",
                 text("the archive has no data.pkl, so torch did not save it", "压缩包中没有 data.pkl，不是 torch 保存的文件"));
  }
  torch.prefix = pickle->name.substr(0, pickle->name.size() - kPickleName.size());
  bool is_big_endian = false;
  if (const ZipEntry* order = torch.zip->find(torch.prefix + "byteorder")) {
    std::unique_ptr<ByteSource> source = torch.zip->source_of(*order);
    SB_TRY(std::string word, read_all(*source, 16, order->name));
    if (word != "little" && word != "big")
      return malformed("the byte order is neither little nor big", "字节序既不是 little 也不是 big");
    is_big_endian = word == "big";
  }
  std::unique_ptr<ByteSource> source = torch.zip->source_of(*pickle);
  SB_TRY(torch.pickle_text, read_all(*source, kPickleBytesMax, pickle->name));
  SB_TRY(torch.pickle, read_pickle(torch.pickle_text, keeps_sites));
  SB_TRY(torch.objects, find_tensors(torch.pickle));
  for (StorageClaim& claim : torch.objects.storages) {
    Storage storage{claim.key, claim.device, nullptr, 0, claim.bytes, is_big_endian};
    if (claim.has_inline_bytes) {
      torch.sources.push_back(std::make_unique<MemorySource>(std::move(claim.inline_bytes)));
      storage.is_big_endian = claim.is_big_endian;
    } else {
      std::string name = torch.prefix + "data/" + claim.key;
      const ZipEntry* entry = torch.zip->find(name);
      std::string shown = base::sanitize_utf8(name);
      if (entry == nullptr) return malformed("the data of a storage is missing", "缺少存储的数据").in_field(shown);
      if (entry->bytes != claim.bytes) {
        return Error("weights.malformed", text("the storage should have {} bytes and has {}", "存储应有 {} 字节，实有 {} 字节",
                                               claim.bytes, entry->bytes))
            .in_field(shown);
      }
      torch.sources.push_back(torch.zip->source_of(*entry));
    }
    storage.source = torch.sources.back().get();
    torch.storages.push_back(std::move(storage));
  }
  return {};
}

bool is_magic(const Pickle& pickle) {
  const Node& root = pickle.node(pickle.root);
  return root.kind == NodeKind::kBigInteger && (root.is_decimal ? root.text == kMagicDigits : root.text == kMagic);
}

// The pickle that begins at `offset`. How long it is only reading tells, so more of the file is taken until it is whole.
Result<Pickle> pickle_at(const FileSource& file, std::uint64_t offset, std::string& bytes, bool keeps_sites = false) {
  std::uint64_t left = file.size() - std::min(offset, file.size());
  for (std::uint64_t wanted : {std::uint64_t{1} << 20, std::uint64_t{64} << 20, kPickleBytesMax}) {
    wanted = std::min(wanted, left);
    bytes.resize(static_cast<std::size_t>(wanted));
    SB_TRY_VOID(file.read(offset, std::as_writable_bytes(std::span(bytes))));
    Result<Pickle> pickle = read_pickle(bytes, keeps_sites);
    if (pickle.ok() || wanted == left || wanted == kPickleBytesMax) return pickle;
  }
  return malformed("the pickle ends too early", "pickle 过早结束");
}

Result<bool> is_sys_info_big_endian(const Pickle& pickle) {
  const Node& root = pickle.node(pickle.root);
  if (root.kind != NodeKind::kDict) return malformed("the description of the machine is missing", "缺少机器信息");
  for (std::size_t at = 0; at + 1 < root.items.size(); at += 2) {
    if (pickle.node(root.items[at]).text == "little_endian") return pickle.node(root.items[at + 1]).integer == 0;
  }
  return false;
}

// Reads the list of keys and walks the data behind it: eight bytes of element count, then the elements, for each key.
Status place_legacy_storages(TorchFile& torch, std::uint64_t offset, bool is_big_endian) {
  std::string bytes;
  SB_TRY(Pickle keys, pickle_at(*torch.file, offset, bytes));
  const Node& list = keys.node(keys.root);
  if (list.kind != NodeKind::kList) return malformed("the list of storages is missing", "缺少存储列表");
  torch.keys_end = offset + keys.size;
  std::unordered_map<std::string, std::vector<std::size_t>> claims;  // by root key, in the order of the pickle
  for (std::size_t index = 0; index < torch.objects.storages.size(); ++index) {
    const std::string& key = torch.objects.storages[index].key;
    claims[key.substr(0, key.find('@'))].push_back(index);
  }
  std::uint64_t position = torch.keys_end;
  for (NodeId id : list.items) {
    const Node& key_node = keys.node(id);
    std::string key = key_node.kind == NodeKind::kInteger ? std::to_string(key_node.integer) : std::string(key_node.text);
    auto claimed = claims.find(key);
    if (claimed == claims.end())
      return malformed("data without a storage that owns it", "数据没有所属的存储").in_field(base::sanitize_utf8(key));
    const StorageClaim& first = torch.objects.storages[claimed->second.front()];
    std::uint64_t count = 0, data_bytes = 0;
    SB_TRY_VOID(torch.file->read(position, std::as_writable_bytes(std::span(&count, 1))));
    if (is_big_endian) count = __builtin_bswap64(count);
    position += sizeof count;
    std::uint64_t item = first.is_untyped ? 1 : item_bytes(first.dtype);
    if (!multiply(count, item, data_bytes) || data_bytes > torch.file->size() - position) {
      return malformed("a storage reaches beyond the end of the file", "存储超出文件末尾").in_field(base::sanitize_utf8(key));
    }
    for (std::size_t index : claimed->second) {
      const StorageClaim& claim = torch.objects.storages[index];
      bool is_view = claim.key.find('@') != std::string::npos;
      if (claim.view_offset > data_bytes || (!is_view && claim.bytes != data_bytes)) {
        return Error("weights.malformed", text("the storage should have {} bytes and has {}", "存储应有 {} 字节，实有 {} 字节",
                                               claim.bytes, data_bytes))
            .in_field(base::sanitize_utf8(key));
      }
      torch.storages[index] = {
          claim.key, claim.device, torch.file.get(), position + claim.view_offset, data_bytes - claim.view_offset, is_big_endian};
    }
    torch.legacy_keys.push_back(key);
    torch.legacy_storages.push_back(claimed->second.front());
    claims.erase(claimed);
    position += data_bytes;
  }
  for (const auto& [key, indices] : claims) {
    if (!torch.objects.storages[indices.front()].has_inline_bytes) {
      return malformed("the data of a storage is missing", "缺少存储的数据").in_field(base::sanitize_utf8(key));
    }
  }
  return {};
}

Status read_pickles(TorchFile& torch, bool keeps_sites) {
  SB_TRY(Pickle first, pickle_at(*torch.file, 0, torch.pickle_text));
  bool is_legacy = is_magic(first);
  bool is_big_endian = false;
  torch.format = is_legacy ? Format::kTorchLegacy : Format::kPickle;
  if (is_legacy) {
    std::string bytes;
    std::uint64_t offset = first.size;
    SB_TRY(Pickle protocol, pickle_at(*torch.file, offset, bytes));
    if (protocol.node(protocol.root).integer != kLegacyProtocol) {
      return Error("weights.unsupported", text("protocol {} of torch.save is not known here", "不支持 torch.save 协议 {}",
                                               protocol.node(protocol.root).integer));
    }
    offset += protocol.size;
    SB_TRY(Pickle system, pickle_at(*torch.file, offset, bytes));
    SB_TRY(is_big_endian, is_sys_info_big_endian(system));
    torch.pickle_offset = offset + system.size;
  }
  SB_TRY(torch.pickle, pickle_at(*torch.file, torch.pickle_offset, torch.pickle_text, keeps_sites));
  SB_TRY(torch.objects, find_tensors(torch.pickle));
  torch.storages.resize(torch.objects.storages.size());
  for (std::size_t index = 0; index < torch.storages.size(); ++index) {
    StorageClaim& claim = torch.objects.storages[index];
    if (!claim.has_inline_bytes) {
      if (!is_legacy) return malformed("a plain pickle speaks of storages outside of itself", "普通 pickle 引用了其外部的存储");
      continue;
    }
    torch.sources.push_back(std::make_unique<MemorySource>(std::move(claim.inline_bytes)));
    torch.storages[index] = {claim.key, claim.device, torch.sources.back().get(), 0, claim.bytes, claim.is_big_endian};
  }
  return is_legacy ? place_legacy_storages(torch, torch.pickle_offset + torch.pickle.size, is_big_endian) : Status{};
}

}  // namespace

Result<std::unique_ptr<TorchFile>> read_torch_file(const std::string& path, bool keeps_sites) {
  auto torch = std::make_unique<TorchFile>();
  SB_TRY(torch->file, FileSource::open(path));
  char first[2] = {};
  if (torch->file->size() < sizeof first) return malformed("the file is empty or nearly so", "文件为空或过短").at(path);
  SB_TRY_VOID(torch->file->read(0, std::as_writable_bytes(std::span(first))));
  bool is_zip = std::string_view(first, 2) == "PK";
  Status read = is_zip ? read_zip(*torch, keeps_sites) : read_pickles(*torch, keeps_sites);
  if (!read.ok()) return std::move(read).error().at(path);
  return torch;
}

Result<Checkpoint> read_torch_checkpoint(const std::string& path) {
  SB_TRY(std::unique_ptr<TorchFile> torch, read_torch_file(path));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.format = torch->format;
  checkpoint.files = {path};
  checkpoint.file_bytes = torch->file->size();
  checkpoint.has_model_order = true;
  checkpoint.storages = std::move(torch->storages);
  checkpoint.tensors = std::move(torch->objects.tensors);
  checkpoint.closed_objects = std::move(torch->objects.closed_objects);
  checkpoint.dangerous = std::move(torch->objects.dangerous);
  checkpoint.other_values = std::move(torch->objects.other_values);
  checkpoint.other_value_count = torch->objects.other_value_count;
  checkpoint.remarks = std::move(torch->objects.remarks);
  for (const Tensor& tensor : checkpoint.tensors) {
    std::uint64_t storage_bytes = tensor.storage == kNoStorage ? UINT64_MAX : checkpoint.storages[tensor.storage].bytes;
    Status fits = check_layout(tensor, storage_bytes);
    if (!fits.ok()) return std::move(fits).error().at(path);
  }
  checkpoint.sources = std::move(torch->sources);
  checkpoint.sources.push_back(std::move(torch->file));
  return checkpoint;
}

}  // namespace starbridge::weights
