#include "weights/torch_finder.h"

#include <algorithm>
#include <array>

#include "weights/bytes.h"

namespace starbridge::weights {

using base::Error;
using base::Result;
using base::Status;
using base::text;

namespace {

// Parts of a module's own pickle that state_dict() leaves out of its names.
constexpr std::array<std::string_view, 3> kSilentParts = {"_parameters", "_buffers", "_modules"};

bool is_silent_part(std::string_view part) {
  return std::find(kSilentParts.begin(), kSilentParts.end(), part) != kSilentParts.end();
}

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_dictionary(std::string_view module, std::string_view name) {
  return (module == "collections" && is_any(name, {"OrderedDict", "defaultdict", "Counter"})) ||
         (is_any(module, {"builtins", "__builtin__"}) && name == "dict");
}

bool is_sequence(std::string_view module, std::string_view name) {
  return is_any(module, {"builtins", "__builtin__"}) && is_any(name, {"list", "tuple", "set", "frozenset"});
}

// Values that hold no tensor and are harmless: read as they stand.
bool is_plain_value(std::string_view module, std::string_view name) {
  if (module == "torch") return is_any(name, {"Size", "device", "Generator"});
  if (is_any(module, {"numpy.core.multiarray", "numpy._core.multiarray"})) return name == "scalar";
  if (module == "numpy") return name == "dtype";
  if (module == "_codecs") return name == "encode";
  if (module == "datetime") return true;
  return is_any(module, {"builtins", "__builtin__"}) && is_any(name, {"complex", "slice", "range", "bytes", "bytearray"});
}

std::string joined(const std::string& path, std::string_view part) {
  return path.empty() ? std::string(part) : path + "." + std::string(part);
}

}  // namespace

Result<TorchObjects> find_tensors(const Pickle& pickle) { return TorchFinder(pickle).run(); }

Result<TorchObjects> TorchFinder::run() {
  SB_TRY_VOID(claim_storages());
  for (const Node& item : pickle_.nodes) {
    if (item.kind == NodeKind::kGlobal && is_dangerous_global(item.text, item.text2)) {
      std::string name = base::sanitize_utf8(std::string(item.text) + "." + std::string(item.text2));
      if (std::find(found_.dangerous.begin(), found_.dangerous.end(), name) == found_.dangerous.end() &&
          found_.dangerous.size() < kOtherValuesKept) {
        found_.dangerous.push_back(name);
      }
    }
  }
  SB_TRY_VOID(walk(pickle_.root, "", 0));
  return std::move(found_);
}

Status TorchFinder::walk(NodeId id, const std::string& path, int depth) {
  if (depth > static_cast<int>(kWalkDepthMax) || ++steps_ > kWalkStepsMax) {
    return Error("weights.limit", text("the objects nest deeper than {} levels or are reached in more than {} ways",
                                       "对象嵌套超过 {} 层，或可达路径超过 {} 条", kWalkDepthMax, kWalkStepsMax))
        .in_field(base::sanitize_utf8(path.substr(0, 200)));
  }
  const Node& item = node(id);
  bool is_container = !item.items.empty() || item.kind == NodeKind::kCall;
  if (is_container && on_path_[id]) return {};  // an object inside of itself holds nothing new
  if (is_container) on_path_[id] = true;
  Status walked;
  switch (item.kind) {
    case NodeKind::kTuple:
    case NodeKind::kList:
    case NodeKind::kSet:
      walked = walk_items(item, path, depth);
      break;
    case NodeKind::kDict:
      walked = walk_pairs(item, path, depth);
      break;
    case NodeKind::kCall:
      walked = walk_call(id, path, depth);
      break;
    case NodeKind::kPersistent: {
      auto claimed = storage_of_.find(id);
      if (claimed == storage_of_.end()) break;
      const StorageClaim& claim = found_.storages[claimed->second];
      Tensor bare;
      bare.dtype = claim.is_untyped ? DType::kU8 : claim.dtype;
      bare.shape = {claim.bytes / item_bytes(bare.dtype)};
      bare.strides = {1};
      bare.storage = claimed->second;
      bare.device = claim.device;
      found_.mentions.push_back({id, kNoNode, kNoNode, claimed->second, ""});
      walked = add_tensor(std::move(bare), path);
      break;
    }
    case NodeKind::kNone:
      break;
    default:
      add_other(path);
  }
  if (is_container) on_path_[id] = false;
  return walked;
}

Status TorchFinder::walk_items(const Node& items, const std::string& path, int depth) {
  for (std::size_t index = 0; index < items.items.size(); ++index) {
    SB_TRY_VOID(walk(items.items[index], joined(path, std::to_string(index)), depth + 1));
  }
  return {};
}

Status TorchFinder::walk_pairs(const Node& pairs, const std::string& path, int depth) {
  // As in Python, a key that comes twice keeps its first place and its last value.
  std::unordered_map<std::string_view, NodeId> last;
  for (std::size_t at = 0; at + 1 < pairs.items.size(); at += 2) {
    const Node& key = node(pairs.items[at]);
    if (key.kind == NodeKind::kText) last[key.text] = pairs.items[at + 1];
  }
  for (std::size_t at = 0; at + 1 < pairs.items.size(); at += 2) {
    const Node& key = node(pairs.items[at]);
    NodeId value = pairs.items[at + 1];
    std::string part;
    if (key.kind == NodeKind::kText) {
      auto found = last.find(key.text);
      if (found == last.end()) continue;
      value = found->second;
      last.erase(found);
      part = base::sanitize_utf8(key.text);
    } else if (key.kind == NodeKind::kInteger || key.kind == NodeKind::kBool) {
      part = std::to_string(key.integer);
    } else {
      part = "key" + std::to_string(at / 2);
    }
    SB_TRY_VOID(walk(value, joined(path, part), depth + 1));
  }
  return {};
}

Status TorchFinder::walk_call(NodeId id, const std::string& path, int depth) {
  const Node& call = node(id);
  if (std::optional<Tensor> tensor = tensor_of(id, depth)) return add_tensor(std::move(*tensor), path);
  Name name;
  if (!name_of(call.items[0], name)) return walk_closed(id, {"", "(computed)"}, path, depth);
  const Node* arguments = arguments_of(call);
  if (is_dictionary(name.module, name.name)) {
    if (arguments != nullptr) {  // OrderedDict([[key, value], ...]) of old pickles
      for (NodeId argument : arguments->items) {
        const Node& list = node(argument);
        if (list.kind == NodeKind::kDict) SB_TRY_VOID(walk_pairs(list, path, depth + 1));
        if (list.kind != NodeKind::kList) continue;
        for (NodeId pair_id : list.items) {
          const Node& pair = node(pair_id);
          if (pair.items.size() == 2 && node(pair.items[0]).kind == NodeKind::kText) {
            SB_TRY_VOID(walk(pair.items[1], joined(path, base::sanitize_utf8(node(pair.items[0]).text)), depth + 1));
          }
        }
      }
    }
    if (call.added != kNoNode) SB_TRY_VOID(walk_pairs(node(call.added), path, depth + 1));
    return {};  // its state is torch's "_metadata" of versions
  }
  if (is_sequence(name.module, name.name)) {
    if (arguments != nullptr && !arguments->items.empty()) SB_TRY_VOID(walk(arguments->items[0], path, depth + 1));
    if (call.added != kNoNode) SB_TRY_VOID(walk_items(node(call.added), path, depth + 1));
    return {};
  }
  if (is_plain_value(name.module, name.name)) {
    add_other(path);
    return {};
  }
  if (name.module == "torch._utils" && arguments != nullptr) {
    const std::vector<NodeId>& items = arguments->items;
    if (name.name == "_rebuild_sparse_tensor" && items.size() == 2) {
      const Node& data = node(items[1]);
      bool is_compressed = data.items.size() >= 3 && tensor_of(data.items[2], depth).has_value();
      return is_compressed ? walk_named(data, {"compressed_indices", "plain_indices", "values"}, path, depth)
                           : walk_named(data, {"indices", "values"}, path, depth);
    }
    if (name.name == "_rebuild_nested_tensor")
      return walk_named(*arguments, {"values", "sizes", "strides", "offsets"}, path, depth);
    if (name.name == "_rebuild_parameter_with_state" && items.size() == 4) return walk(items[0], path, depth + 1);
  }
  return walk_closed(id, name, path, depth);
}

Status TorchFinder::walk_closed(NodeId id, const Name& name, const std::string& path, int depth) {
  const Node& call = node(id);
  Name shown = name;
  const Node* arguments = arguments_of(call);
  bool makes_object = is_any(name.module, {"copyreg", "copy_reg"}) && is_any(name.name, {"_reconstructor", "__newobj__"});
  if (makes_object && arguments != nullptr && !arguments->items.empty()) name_of(arguments->items[0], shown);
  ++found_.closed_objects[base::sanitize_utf8((shown.module.empty() ? "" : std::string(shown.module) + ".") +
                                              std::string(shown.name))];
  if (arguments != nullptr) SB_TRY_VOID(walk_items(*arguments, path, depth + 1));
  if (call.items.size() > 2) SB_TRY_VOID(walk(call.items[2], path, depth + 1));
  if (call.added != kNoNode) SB_TRY_VOID(walk(call.added, path, depth + 1));
  if (call.state != kNoNode) SB_TRY_VOID(walk_state(call.state, path, depth + 1));
  return {};
}

Status TorchFinder::walk_state(NodeId state_id, const std::string& path, int depth) {
  const Node& state = node(state_id);
  if (state.kind == NodeKind::kTuple && state.items.size() == 2) {  // (dict, slots)
    SB_TRY_VOID(walk_state(state.items[0], path, depth + 1));
    return walk_state(state.items[1], path, depth + 1);
  }
  if (state.kind != NodeKind::kDict) return walk(state_id, path, depth + 1);
  if (on_path_[state_id]) return {};
  on_path_[state_id] = true;
  Status walked;
  for (std::size_t at = 0; at + 1 < state.items.size() && walked.ok(); at += 2) {
    const Node& key = node(state.items[at]);
    bool is_silent = key.kind == NodeKind::kText && is_silent_part(key.text);
    std::string part = key.kind == NodeKind::kText ? base::sanitize_utf8(key.text) : std::to_string(at / 2);
    walked = walk(state.items[at + 1], is_silent ? path : joined(path, part), depth + 1);
  }
  on_path_[state_id] = false;
  return walked;
}

Status TorchFinder::walk_named(const Node& items, std::initializer_list<const char*> names, const std::string& path, int depth) {
  std::size_t index = 0;
  for (const char* name : names) {
    if (index < items.items.size()) SB_TRY_VOID(walk(items.items[index], joined(path, name), depth + 1));
    ++index;
  }
  return {};
}

Status TorchFinder::add_tensor(Tensor tensor, const std::string& path) {
  tensor.name = path.empty() ? "tensor" : path;
  std::string wanted = tensor.name;
  for (int number = 2; !names_.insert(tensor.name).second; ++number) tensor.name = wanted + "#" + std::to_string(number);
  name_bytes_ += tensor.name.size();
  if (found_.tensors.size() >= kTensorsMax || name_bytes_ > kNamesBytesMax) {
    return Error("weights.limit", text("the file holds more tensors than the limit of {}", "张量数超过上限 {}", kTensorsMax));
  }
  found_.tensors.push_back(std::move(tensor));
  return {};
}

void TorchFinder::add_other(const std::string& path) {
  ++found_.other_value_count;
  if (found_.other_values.size() < kOtherValuesKept) found_.other_values.push_back(path.substr(0, 300));
}

bool is_dangerous_global(std::string_view module, std::string_view name) {
  static const std::vector<std::string_view> kModules = {"os",
                                                         "posix",
                                                         "nt",
                                                         "subprocess",
                                                         "_posixsubprocess",
                                                         "sys",
                                                         "socket",
                                                         "shutil",
                                                         "runpy",
                                                         "importlib",
                                                         "pty",
                                                         "ctypes",
                                                         "code",
                                                         "pdb",
                                                         "bdb",
                                                         "timeit",
                                                         "cProfile",
                                                         "profile",
                                                         "webbrowser",
                                                         "asyncio",
                                                         "urllib",
                                                         "requests",
                                                         "http",
                                                         "ftplib",
                                                         "smtplib",
                                                         "commands",
                                                         "popen2",
                                                         "pip",
                                                         "dill",
                                                         "pickle",
                                                         "_pickle",
                                                         "marshal",
                                                         "inspect",
                                                         "signal",
                                                         "linecache",
                                                         "tempfile",
                                                         "zipimport",
                                                         "pkgutil",
                                                         "multiprocessing",
                                                         "threading",
                                                         "operator",
                                                         "_operator"};
  static const std::vector<std::string_view> kHarmlessBuiltins = {
      "dict",    "list", "tuple", "set",   "frozenset", "int",  "float",   "str",  "bytes",    "bytearray",
      "complex", "bool", "slice", "range", "object",    "long", "unicode", "type", "Ellipsis", "NotImplemented"};
  std::string_view top = module.substr(0, module.find('.'));
  auto is_listed = [](const std::vector<std::string_view>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (top == "builtins" || top == "__builtin__") return !is_listed(kHarmlessBuiltins, name);
  if (top == "types") return is_any(name, {"CodeType", "FunctionType", "LambdaType"});
  if (top == "io" || top == "_io") return !is_any(name, {"BytesIO", "StringIO"});
  // A dotted name may walk from a harmless module into whatever that module has imported.
  bool walks_out = name.find("__") != std::string_view::npos || name.find("os.") == 0 || name.find("sys.") == 0;
  return is_listed(kModules, top) || module == "torch.hub" || walks_out;
}

}  // namespace starbridge::weights
