#include "port/python/names.h"

namespace starbridge::port::python {
namespace {

bool is_under(std::string_view path, std::string_view prefix) {
  return path.substr(0, prefix.size()) == prefix && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

}  // namespace

Names::Names(const catalog::NameMap& map, const Family& target) : map_(map), target_(target) {
  for (const catalog::NameRow& row : map.rows()) {
    bool is_dotted = row.target.rfind("torch.", 0) == 0 && row.name.rfind("torch.", 0) == 0;
    // Names shared with CUDA say nothing about the family.
    if (is_dotted && row.target != row.name) canonical_.emplace(row.target, row.name);
  }
}

std::string Names::canonical(std::string_view path) const {
  if (auto found = canonical_.find(path); found != canonical_.end()) return found->second;
  for (const Family& family : families()) {
    if (family.plugin.empty()) continue;
    std::string device(family.device);
    std::string plugin(family.plugin);
    for (const std::string& prefix : {"torch." + device, plugin + "." + device}) {
      if (!is_under(path, prefix)) continue;
      std::string mirrored = "torch." + device + std::string(path.substr(prefix.size()));
      if (auto found = canonical_.find(mirrored); found != canonical_.end()) return found->second;
      return "torch.cuda" + std::string(path.substr(prefix.size()));
    }
    std::string backends = "torch.backends." + device;
    if (is_under(path, backends)) return "torch.backends.cuda" + std::string(path.substr(backends.size()));
  }
  return std::string(path);
}

std::optional<Translation> Names::translate(std::string_view path) const {
  std::string cuda_name = canonical(path);
  bool is_family_name = is_under(cuda_name, "torch.cuda") || is_under(cuda_name, "torch.backends.cuda");
  if (target_.backend == "cuda") {
    if (cuda_name == path) return std::nullopt;
    return Translation{catalog::MapStatus::kSame, cuda_name, "", ""};
  }
  catalog::NameRow row = map_.find(cuda_name, target_.backend);
  if (row.status == catalog::MapStatus::kKeep || row.target == path) return std::nullopt;
  if (row.status == catalog::MapStatus::kUnknown && !is_family_name) return std::nullopt;
  // A name of the target's own that mirrors nothing of CUDA is right as it stands.
  if (row.target.empty() && cuda_name != path && is_under(path, "torch." + std::string(target_.device))) return std::nullopt;
  return Translation{row.status, row.target, row.note, row.source};
}

}  // namespace starbridge::port::python
