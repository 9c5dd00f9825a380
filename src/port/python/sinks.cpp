#include "port/python/sinks.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace starbridge::port::python {

const TextRole* role_of_name(std::string_view name) {
  // Names that PyTorch's own signatures and the field's projects use for one thing only.
  static const std::unordered_map<std::string_view, TextRole> roles = {{"device", TextRole::kDevice},
                                                                       {"device_type", TextRole::kDevice},
                                                                       {"device_str", TextRole::kDevice},
                                                                       {"map_location", TextRole::kDevice},
                                                                       {"pin_memory_device", TextRole::kDevice},
                                                                       {"default_device", TextRole::kDevice},
                                                                       {"device_id", TextRole::kDevice},
                                                                       {"DEVICE", TextRole::kDevice},
                                                                       {"DEVICE_TYPE", TextRole::kDevice},
                                                                       {"torch_device", TextRole::kDevice},
                                                                       {"target_device", TextRole::kDevice},
                                                                       {"backend", TextRole::kCollective},
                                                                       {"dist_backend", TextRole::kCollective},
                                                                       {"distributed_backend", TextRole::kCollective},
                                                                       {"ddp_backend", TextRole::kCollective},
                                                                       {"BACKEND", TextRole::kCollective},
                                                                       {"process_group_backend", TextRole::kCollective}};
  auto found = roles.find(name);
  return found == roles.end() ? nullptr : &found->second;
}

const PositionalSink* positional_sink(std::string_view path, int position) {
  static constexpr std::array<PositionalSink, 29> kSinks = {{
      {"torch.device", 0, TextRole::kDevice},
      {"torch.autocast", 0, TextRole::kDevice},
      {"torch.amp.autocast", 0, TextRole::kDevice},
      {"torch.amp.autocast_mode.autocast", 0, TextRole::kDevice},
      {"torch.amp.GradScaler", 0, TextRole::kDevice},
      {"torch.amp.grad_scaler.GradScaler", 0, TextRole::kDevice},
      {"torch.amp.custom_fwd", -1, TextRole::kDevice},
      {"torch.set_default_device", 0, TextRole::kDevice},
      {"torch.Generator", 0, TextRole::kDevice},
      {"torch.load", 1, TextRole::kDevice},
      {"torch.jit.load", 1, TextRole::kDevice},
      {"torch.cuda.device", 0, TextRole::kDevice},
      {"torch.cuda.set_device", 0, TextRole::kDevice},
      {"torch.cuda.synchronize", 0, TextRole::kDevice},
      {"torch.cuda.get_device_name", 0, TextRole::kDevice},
      {"torch.cuda.get_device_properties", 0, TextRole::kDevice},
      {"torch.npu.set_device", 0, TextRole::kDevice},
      {"torch.npu.device", 0, TextRole::kDevice},
      {"torch.mlu.set_device", 0, TextRole::kDevice},
      {"torch.mlu.device", 0, TextRole::kDevice},
      {"torch.get_autocast_dtype", 0, TextRole::kDevice},
      {"torch.set_autocast_dtype", 0, TextRole::kDevice},
      {"torch.is_autocast_enabled", 0, TextRole::kDevice},
      {"torch.set_autocast_enabled", 0, TextRole::kDevice},
      {"torch.amp.is_autocast_available", 0, TextRole::kDevice},
      {"torch.get_device_module", 0, TextRole::kDevice},
      {"torch.distributed.init_device_mesh", 0, TextRole::kDevice},
      {"torch.distributed.device_mesh.init_device_mesh", 0, TextRole::kDevice},
      {"torch.distributed.init_process_group", 0, TextRole::kCollective},
  }};
  auto found = std::find_if(kSinks.begin(), kSinks.end(),
                            [&](const PositionalSink& sink) { return sink.position == position && sink.path == path; });
  return found == kSinks.end() ? nullptr : &*found;
}

bool is_common_name(std::string_view name) {
  static const std::unordered_set<std::string_view> kCommon = {
      "name", "type",   "value", "key",   "data",  "mode",    "id",     "kwargs", "args",  "config", "x",      "get",   "add",
      "pop",  "append", "join",  "split", "strip", "replace", "update", "insert", "print", "write",  "format", "index", "count",
      "log",  "info",   "debug", "error", "items", "values",  "keys",   "copy",   "self",  "cls",    "read",   "load",  "save"};
  return kCommon.count(name) > 0;
}

}  // namespace starbridge::port::python
