#include "catalog/device_profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace starbridge::catalog {
namespace {

using base::Error;
using base::Json;
using base::text;

constexpr int kDeviceCountMax = 64;
constexpr std::size_t kDtypesMin = 3;  // a shorter list mostly tells what was tried, not what is allowed

std::string support_class(const Chip& chip) { return chip.facts.text("support_class").value_or(""); }

Json properties(const Chip& chip) {
  Json json = Json::object();
  json["name"] = chip.facts.text("device_name").value_or(chip.name);
  json["total_memory"] = *chip.memory_bytes();
  auto put = [&](const char* key, const char* fact) {
    if (auto value = chip.facts.integer(fact)) json[key] = *value;
  };
  if (chip.stack->backend == "npu") {
    put("L2_cache_size", "l2_bytes");
    put("cube_core_num", "cube_cores");
    put("vector_core_num", "vector_cores");
  } else {
    put("major", "capability_major");
    put("cluster_count", "clusters");
  }
  return json;
}

// "9.1.0" of the toolkit a new machine would get; programs ask the plug-in for it. Empty when not known.
std::string toolkit_version(const Chip& chip) {
  const StackVersion* version = chip.stack->version_to_use();
  return version == nullptr ? "" : version->toolkit.substr(version->toolkit.rfind(' ') + 1);
}

std::vector<std::string> dtypes_limited(const Chip& chip) {
  std::vector<std::string> names;
  for (const Fact& fact : chip.stack->dtypes.all()) {
    if (chip.dtype_status(fact.name) == "limited") names.push_back(fact.name);
  }
  return names;
}

// Operators a source calls missing and none calls present, by name.
std::map<std::string, Evidence> missing_operators(const ApiTable& table, std::string_view backend, std::string_view version) {
  std::set<std::string_view> present;
  std::map<std::string, Evidence> missing;
  std::vector<Evidence> rows = table.op_rows(backend, version);
  for (const Evidence& row : rows) {
    bool is_of_old_stack = row.hardware == "mlu370";  // the 2022 stack is a lower bound, kept out of a newer device
    if (is_of_old_stack) continue;
    if (row.status == Support::kNative || row.status == Support::kLimited) present.insert(row.name);
  }
  for (const Evidence& row : rows) {
    if (row.status != Support::kCpuFallback && row.status != Support::kUnsupported) continue;
    if (!present.contains(row.name)) missing.emplace(std::string(row.name), row);
  }
  return missing;
}

Json split_commas(std::string_view list) {
  Json array = Json::array();
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    array.push_back(std::string(list.substr(0, comma)));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return array;
}

// torch.add -> aten::add with the dtypes the vendor's page allows.
Json dtype_limits(const ApiTable& table, const Chip& chip, std::string_view version, std::set<std::string>& sources) {
  Json limits = Json::object();
  for (const Evidence& row : table.api_rows(chip.stack->backend, version, support_class(chip))) {
    bool is_function = row.name.substr(0, 6) == "torch." && row.name.find('.', 6) == std::string_view::npos;
    Json dtypes = split_commas(row.dtypes);
    if (!is_function || dtypes.size() < kDtypesMin || row.confidence != Confidence::kPublished || row.hardware == "mlu370")
      continue;
    limits["aten::" + std::string(row.name.substr(6))] = {{"dtypes_ok", dtypes}, {"source", std::string(row.source)}};
    sources.insert(std::string(row.source));
  }
  return limits;
}

}  // namespace

base::Result<Json> device_profile(const Chip& chip, const ApiTable& table, const ProfileOptions& options) {
  if (options.device_count < 1 || options.device_count > kDeviceCountMax) {
    return Error("base.usage", text("the device count must be 1 to {}", "设备数应为 1 到 {}", kDeviceCountMax));
  }
  if (chip.stack->keeps_torch_cuda()) {
    return Error("catalog.no_profile", text("{} keeps the torch.cuda names; there is no other device to emulate",
                                            "{} 保留 torch.cuda 命名，没有另外的设备可模拟", chip.id))
        .next(text("name a chip with its own device, for example ascend-910b3 or mlu370-x8",
                   "请选择有独立设备名的芯片，例如 ascend-910b3 或 mlu370-x8"));
  }
  std::set<std::string> sources;
  Json ops = Json::object();
  for (const auto& [name, row] : missing_operators(table, chip.stack->backend, options.torch_version)) {
    ops[name] = {{"status", std::string(to_string(row.status))}, {"source", std::string(row.source)}};
    sources.insert(std::string(row.source));
  }
  Json json = {{"schema", "starbridge.device_profile/1"},
               {"chip", chip.id},
               {"chip_name", chip.name},
               {"vendor", chip.vendor},
               {"backend", chip.stack->backend},
               {"torch_device", chip.stack->torch_device()},
               {"plugin_module", *chip.stack->plugin_module()},
               {"dist_backend", chip.stack->dist_backend()},
               {"toolkit_version", toolkit_version(chip)},
               {"memory_bytes", *chip.memory_bytes()},
               {"device_count", options.device_count},
               {"visible_devices_env", chip.stack->visible_devices_env()},
               {"properties", properties(chip)},
               {"dtypes_unsupported", chip.dtypes_unsupported()},
               {"dtypes_limited", dtypes_limited(chip)},
               {"ops", std::move(ops)}};
  json["dtype_limits"] = dtype_limits(table, chip, options.torch_version, sources);
  json["policy"] = {{"fallback", "warn"}};
  json["torch_version_of_lists"] = std::string(options.torch_version);
  json["sources"] = Json::object();
  for (const std::string& id : sources) json["sources"][id] = table.find_source(id)->ref;
  return json;
}

}  // namespace starbridge::catalog
