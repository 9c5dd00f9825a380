// The parts of TorchFinder that turn calls into tensors.
#include <algorithm>
#include <array>

#include "weights/bytes.h"
#include "weights/torch_finder.h"

namespace starbridge::weights {

using base::Error;
using base::Status;
using base::text;

Status TorchFinder::claim_storages() {
  // In the order of the text: a legacy file lays a storage out by its first mention.
  for (NodeId id = 0; id < pickle_.nodes.size(); ++id) {
    if (node(id).kind != NodeKind::kPersistent) continue;
    const Node& tuple = node(node(id).items[0]);
    if (tuple.kind != NodeKind::kTuple || tuple.items.empty() || node(tuple.items[0]).kind != NodeKind::kText) {
      return Error("weights.malformed", text("a persistent id is no tuple with a kind", "持久化标识不是带类别的元组"));
    }
    if (node(tuple.items[0]).text == "storage") SB_TRY_VOID(claim_storage(id, tuple));
  }
  return {};
}

Status TorchFinder::claim_storage(NodeId persistent, const Node& tuple) {
  auto malformed = [] { return Error("weights.malformed", text("the id of a storage is malformed", "存储标识有误")); };
  if (tuple.items.size() < 5) return malformed();
  StorageClaim claim;
  Name type;
  if (node(tuple.items[1]).kind == NodeKind::kText) {  // TorchScript names it by text
    type.name = node(tuple.items[1]).text;
  } else if (!name_of(tuple.items[1], type)) {
    return malformed();
  }
  const Node& key = node(tuple.items[2]);
  std::uint64_t count = 0;
  if (node(tuple.items[3]).kind != NodeKind::kText || !whole_number(tuple.items[4], count)) return malformed();
  if (key.kind == NodeKind::kText) {
    claim.key = std::string(key.text);
  } else if (key.kind == NodeKind::kInteger) {
    claim.key = std::to_string(key.integer);
  } else {
    return malformed();
  }
  claim.device = base::sanitize_utf8(node(tuple.items[3]).text);
  claim.is_untyped = type.name == "UntypedStorage" || type.name == "_UntypedStorage";
  if (!claim.is_untyped) {
    std::optional<DType> dtype = dtype_from_storage(type.name);
    if (!dtype) {
      return Error("weights.unsupported",
                   text("storages of type {} are not known here", "不支持存储类型 {}", base::sanitize_utf8(type.name)));
    }
    claim.dtype = *dtype;
  }
  std::uint64_t item = claim.is_untyped ? 1 : item_bytes(claim.dtype);
  if (!multiply(count, item, claim.bytes)) return malformed();
  if (tuple.items.size() >= 6 && node(tuple.items[5]).kind == NodeKind::kTuple) {
    const Node& view = node(tuple.items[5]);  // (key of the view, offset, size): views of storages in files before 0.4
    std::uint64_t offset = 0, size = 0;
    if (view.items.size() != 3 || !whole_number(view.items[1], offset) || !whole_number(view.items[2], size)) return malformed();
    if (!multiply(offset, item, claim.view_offset) || offset > count || size > count - offset) return malformed();
    claim.key += "@" + std::to_string(claim.view_offset);
  }
  auto [found, is_new] = claim_by_key_.try_emplace(claim.key, 0);
  if (is_new) {
    found->second = add_claim(std::move(claim));
  } else {
    const StorageClaim& first = found_.storages[found->second];
    if (first.bytes != claim.bytes) {
      return Error("weights.malformed",
                   text("the storage {} is given two sizes, {} and {} bytes", "存储 {} 有两个大小：{} 与 {} 字节",
                        base::sanitize_utf8(claim.key), first.bytes, claim.bytes));
    }
  }
  storage_of_[persistent] = found->second;
  found_.storage_ids.emplace_back(pickle_.node(persistent).items[0], found->second);
  return {};
}

std::size_t TorchFinder::add_claim(StorageClaim claim) {
  found_.storages.push_back(std::move(claim));
  return found_.storages.size() - 1;
}

std::optional<Tensor> TorchFinder::tensor_of(NodeId id, int depth) {
  const Node& call = node(id);
  if (call.kind != NodeKind::kCall || depth > static_cast<int>(kWalkDepthMax)) return std::nullopt;
  Name name;
  if (!name_of(call.items[0], name)) return std::nullopt;
  bool is_numpy = name.module.substr(0, 5) == "numpy";
  if (is_numpy && (name.name == "_reconstruct" || name.name == "_frombuffer")) return numpy_array(call);
  if (name.module != "torch._utils" && name.module != "torch._tensor" && name.module != "torch.tensor") return std::nullopt;
  return rebuild(name.name, call.items[0], call.items[1], depth);
}

std::optional<Tensor> TorchFinder::rebuild(std::string_view rebuilder, NodeId callable, NodeId arguments_id, int depth) {
  const Node& arguments = node(arguments_id);
  if (arguments.kind != NodeKind::kTuple) return std::nullopt;
  const std::vector<NodeId>& items = arguments.items;
  if (rebuilder == "_rebuild_tensor" || rebuilder == "_rebuild_tensor_v2" || rebuilder == "_rebuild_tensor_v3" ||
      rebuilder == "_rebuild_qtensor") {
    return rebuild_strided(rebuilder, callable, arguments_id);
  }
  if ((rebuilder == "_rebuild_parameter" || rebuilder == "_rebuild_parameter_with_state") && items.size() >= 2) {
    std::optional<Tensor> tensor = tensor_of(items[0], depth + 1);
    if (!tensor) return std::nullopt;
    tensor->is_parameter = true;
    tensor->requires_grad = node(items[1]).kind == NodeKind::kBool && node(items[1]).integer != 0;
    return tensor;
  }
  if (rebuilder == "_rebuild_from_type_v2" && items.size() >= 3) {
    Name inner;
    if (!name_of(items[0], inner)) return std::nullopt;
    return rebuild(inner.name, items[0], items[2], depth + 1);
  }
  bool is_moved = rebuilder == "_rebuild_device_tensor_from_cpu_tensor" || rebuilder == "_rebuild_device_tensor_from_numpy" ||
                  rebuilder == "_rebuild_xla_tensor";
  if (is_moved && items.size() >= 3) {
    std::optional<Tensor> tensor = tensor_of(items[0], depth + 1);
    if (tensor) tensor->device = device_text(items[2]);
    return tensor;
  }
  if (rebuilder == "_rebuild_meta_tensor_no_storage" && items.size() >= 3) {
    Tensor tensor;
    std::optional<DType> dtype = dtype_of(items[0]);
    if (!dtype || !whole_numbers(items[1], tensor.shape) || !whole_numbers(items[2], tensor.strides)) return std::nullopt;
    if (tensor.shape.size() != tensor.strides.size()) return std::nullopt;
    tensor.dtype = *dtype;
    tensor.device = "meta";
    return tensor;
  }
  return std::nullopt;
}

std::optional<Tensor> TorchFinder::rebuild_strided(std::string_view rebuilder, NodeId callable, NodeId arguments_id) {
  const std::vector<NodeId>& items = node(arguments_id).items;
  if (items.size() < 4) return std::nullopt;
  auto claimed = storage_of_.find(items[0]);
  Tensor tensor;
  if (claimed == storage_of_.end() || !whole_number(items[1], tensor.offset) || !whole_numbers(items[2], tensor.shape) ||
      !whole_numbers(items[3], tensor.strides) || tensor.shape.size() != tensor.strides.size()) {
    return std::nullopt;
  }
  const StorageClaim& claim = found_.storages[claimed->second];
  tensor.storage = claimed->second;
  tensor.device = claim.device;
  tensor.dtype = claim.is_untyped ? DType::kU8 : claim.dtype;
  std::size_t grad_at = rebuilder == "_rebuild_qtensor" ? 5 : 4;
  if (items.size() > grad_at) {
    tensor.requires_grad = node(items[grad_at]).kind == NodeKind::kBool && node(items[grad_at]).integer != 0;
  }
  if (rebuilder == "_rebuild_tensor_v3") {
    std::optional<DType> dtype = items.size() > 6 ? dtype_of(items[6]) : std::nullopt;
    if (!dtype) return std::nullopt;
    tensor.dtype = *dtype;
    if (items.size() > 7) read_metadata(items[7], tensor);
  } else if (rebuilder == "_rebuild_tensor_v2" && items.size() > 6) {
    read_metadata(items[6], tensor);
  }
  if (mentioned_.insert(arguments_id).second) {
    found_.mentions.push_back({items[0], arguments_id, callable, claimed->second, std::string(rebuilder)});
  }
  return tensor;
}

std::optional<Tensor> TorchFinder::numpy_array(const Node& call) {
  const Node* arguments = arguments_of(call);
  if (arguments == nullptr) return std::nullopt;
  Name name;
  name_of(call.items[0], name);
  if (name.name == "_frombuffer") {  // (buffer, dtype, shape, order) of protocol 5
    if (arguments->items.size() < 4) return std::nullopt;
    return make_array(arguments->items[1], arguments->items[2], node(arguments->items[3]).text == "F", arguments->items[0]);
  }
  if (call.state == kNoNode) return std::nullopt;
  const Node& state = node(call.state);  // (version, shape, dtype, is_fortran, bytes)
  if (state.kind != NodeKind::kTuple || state.items.size() != 5) return std::nullopt;
  return make_array(state.items[2], state.items[1], node(state.items[3]).integer != 0, state.items[4]);
}

std::optional<Tensor> TorchFinder::make_array(NodeId dtype, NodeId shape, bool is_fortran, NodeId bytes_id) {
  Tensor tensor;
  bool is_big_endian = false;
  if (!numpy_dtype(dtype, tensor.dtype, is_big_endian) || !whole_numbers(shape, tensor.shape)) return std::nullopt;
  auto known = array_storage_.find(bytes_id);
  if (known == array_storage_.end()) {
    std::optional<std::string> bytes = bytes_of_node(bytes_id);
    if (!bytes) return std::nullopt;
    StorageClaim claim;
    claim.key = "numpy" + std::to_string(array_storage_.size());
    claim.device = "cpu";
    claim.dtype = tensor.dtype;
    claim.bytes = bytes->size();
    claim.has_inline_bytes = true;
    claim.inline_bytes = std::move(*bytes);
    claim.is_big_endian = is_big_endian;
    known = array_storage_.emplace(bytes_id, add_claim(std::move(claim))).first;
  }
  tensor.storage = known->second;
  tensor.device = "cpu";
  if (is_fortran) {
    std::vector<std::uint64_t> reversed(tensor.shape.rbegin(), tensor.shape.rend());
    tensor.strides = contiguous_strides(reversed);
    std::reverse(tensor.strides.begin(), tensor.strides.end());
  } else {
    tensor.strides = contiguous_strides(tensor.shape);
  }
  return tensor;
}

const Node* TorchFinder::arguments_of(const Node& call) const {
  const Node& arguments = node(call.items[1]);
  return arguments.kind == NodeKind::kTuple || arguments.kind == NodeKind::kList ? &arguments : nullptr;
}

bool TorchFinder::name_of(NodeId id, Name& name) const {
  const Node* item = &node(id);
  if (item->kind == NodeKind::kPersistent) {  // ("module", class, file, source) of legacy files
    const Node& tuple = node(item->items[0]);
    if (tuple.kind != NodeKind::kTuple || tuple.items.size() < 2) return false;
    item = &node(tuple.items[1]);
  }
  if (item->kind != NodeKind::kGlobal) return false;
  name = {item->text, item->text2};
  return true;
}

bool TorchFinder::whole_number(NodeId id, std::uint64_t& value) const {
  const Node& item = node(id);
  if (item.kind != NodeKind::kInteger || item.integer < 0) return false;
  value = static_cast<std::uint64_t>(item.integer);
  return true;
}

bool TorchFinder::whole_numbers(NodeId id, std::vector<std::uint64_t>& values) const {
  const Node* list = &node(id);
  if (list->kind == NodeKind::kCall) {  // torch.Size((2, 3))
    const Node* arguments = arguments_of(*list);
    if (arguments == nullptr || arguments->items.size() != 1) return false;
    list = &node(arguments->items[0]);
  }
  if (list->kind != NodeKind::kTuple && list->kind != NodeKind::kList) return false;
  if (list->items.size() > 4 * kDimensionsMax) return false;
  for (NodeId item : list->items) {
    std::uint64_t value = 0;
    if (!whole_number(item, value)) return false;
    values.push_back(value);
  }
  return true;
}

std::optional<std::string> TorchFinder::bytes_of_node(NodeId id) const {
  const Node& item = node(id);
  if (item.kind == NodeKind::kBytes || item.kind == NodeKind::kText) return std::string(item.text);
  // _codecs.encode(text, "latin1"): how protocol 2 writes bytes.
  if (item.kind != NodeKind::kCall) return std::nullopt;
  Name name;
  const Node* arguments = arguments_of(item);
  if (!name_of(item.items[0], name) || name.module != "_codecs" || arguments == nullptr || arguments->items.empty())
    return std::nullopt;
  std::string bytes;
  std::string_view utf8 = node(arguments->items[0]).text;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    auto c = static_cast<unsigned char>(utf8[at]);
    if (c < 0x80) {
      bytes += static_cast<char>(c);
    } else if ((c & 0xfc) == 0xc0 && at + 1 < utf8.size()) {
      bytes += static_cast<char>(((c & 3) << 6) | (static_cast<unsigned char>(utf8[++at]) & 0x3f));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::optional<DType> TorchFinder::dtype_of(NodeId id) const {
  Name name;
  if (!name_of(id, name) || name.module != "torch") return std::nullopt;
  return dtype_from_name(name.name);
}

bool TorchFinder::numpy_dtype(NodeId id, DType& dtype, bool& is_big_endian) const {
  const Node& call = node(id);
  if (call.kind != NodeKind::kCall) return false;
  Name name;
  const Node* arguments = arguments_of(call);
  if (!name_of(call.items[0], name) || name.module != "numpy" || name.name != "dtype") return false;
  if (arguments == nullptr || arguments->items.empty()) return false;
  if (!parse_numpy_descriptor(node(arguments->items[0]).text, dtype, is_big_endian)) return false;
  if (call.state != kNoNode) {  // (3, '<', ...)
    const Node& state = node(call.state);
    if (state.kind == NodeKind::kTuple && state.items.size() >= 2) is_big_endian = node(state.items[1]).text == ">";
  }
  return true;
}

void TorchFinder::read_metadata(NodeId id, Tensor& tensor) const {
  const Node& pairs = node(id);
  if (pairs.kind != NodeKind::kDict) return;
  for (std::size_t at = 0; at + 1 < pairs.items.size(); at += 2) {
    const Node& key = node(pairs.items[at]);
    bool is_set = node(pairs.items[at + 1]).integer != 0;
    if (key.text == "conj") tensor.is_conjugated = is_set;
    if (key.text == "neg") tensor.is_negated = is_set;
  }
}

std::string TorchFinder::device_text(NodeId id) const {
  const Node& item = node(id);
  if (item.kind == NodeKind::kText) return base::sanitize_utf8(item.text);
  const Node* arguments = item.kind == NodeKind::kCall ? arguments_of(item) : nullptr;  // torch.device("cuda", 0)
  if (arguments == nullptr || arguments->items.empty()) return "";
  std::string device = base::sanitize_utf8(node(arguments->items[0]).text);
  if (arguments->items.size() > 1) device += ":" + std::to_string(node(arguments->items[1]).integer);
  return device;
}

bool parse_numpy_descriptor(std::string_view descriptor, DType& dtype, bool& is_big_endian) {
  is_big_endian = !descriptor.empty() && descriptor[0] == '>';
  if (!descriptor.empty() && std::string_view("<>|=").find(descriptor[0]) != std::string_view::npos) descriptor.remove_prefix(1);
  struct Row {
    std::string_view name;
    DType dtype;
  };
  static constexpr std::array<Row, 15> kRows = {{{"b1", DType::kBool},
                                                 {"?", DType::kBool},
                                                 {"i1", DType::kI8},
                                                 {"i2", DType::kI16},
                                                 {"i4", DType::kI32},
                                                 {"i8", DType::kI64},
                                                 {"u1", DType::kU8},
                                                 {"u2", DType::kU16},
                                                 {"u4", DType::kU32},
                                                 {"u8", DType::kU64},
                                                 {"f2", DType::kF16},
                                                 {"f4", DType::kF32},
                                                 {"f8", DType::kF64},
                                                 {"c8", DType::kC64},
                                                 {"c16", DType::kC128}}};
  for (const Row& row : kRows) {
    if (row.name != descriptor) continue;
    dtype = row.dtype;
    return true;
  }
  return false;
}

}  // namespace starbridge::weights
