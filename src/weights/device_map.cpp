#include "weights/device_map.h"

#include <algorithm>

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::text;

bool is_device(std::string_view word) {
  std::size_t colon = std::min(word.find(':'), word.size());
  std::string_view kind = word.substr(0, colon), index = word.substr(std::min(word.size(), colon + 1));
  bool is_kind = !kind.empty() && kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos;
  bool is_index = colon == word.size() ||
                  (!index.empty() && index.size() < 6 && index.find_first_not_of("0123456789") == std::string_view::npos);
  return is_kind && is_index;
}

// "cuda:3" with kind npu: "npu:3".
std::string with_kind(std::string_view tag, const std::string& kind) {
  std::size_t colon = tag.find(':');
  bool has_index = colon != std::string_view::npos && kind != "cpu" && kind != "meta";
  return has_index ? kind + std::string(tag.substr(colon)) : kind;
}

}  // namespace

Result<DeviceMap> DeviceMap::parse(const std::string& word) {
  auto wrong = [&] {
    return Error("base.usage", text("\"{}\" is no device", "“{}”不是设备", base::sanitize_utf8(word)))
        .next(text("write cpu, npu:0, npu (indices stay), or cuda=npu,cuda:3=cpu",
                   "写作 cpu、npu:0、npu（保留编号）或 cuda=npu,cuda:3=cpu"));
  };
  DeviceMap map;
  std::string_view rest = word;
  while (!rest.empty()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = base::trim(rest.substr(0, comma));
    rest.remove_prefix(std::min(rest.size(), comma + 1));
    std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      if (!is_device(part.substr(0, equals)) || !is_device(part.substr(equals + 1))) return wrong();
      map.by_tag_[std::string(part.substr(0, equals))] = std::string(part.substr(equals + 1));
    } else {
      if (!is_device(part) || !map.is_empty()) return wrong();
      bool keeps_index = part != "cpu" && part != "meta" && part.find(':') == std::string_view::npos;
      (keeps_index ? map.kind_ : map.all_) = std::string(part);
    }
  }
  if (!map.by_tag_.empty() && !(map.all_.empty() && map.kind_.empty())) return wrong();
  return map;
}

std::string DeviceMap::apply(std::string_view tag) const {
  if (tag == "meta") return "meta";  // has no bytes, so it cannot move
  if (!all_.empty()) return all_;
  if (!kind_.empty()) return tag == "cpu" || tag.empty() ? std::string(tag) : with_kind(tag, kind_);
  if (auto found = by_tag_.find(tag); found != by_tag_.end()) return found->second;
  std::string_view kind = tag.substr(0, tag.find(':'));
  if (auto found = by_tag_.find(kind); found != by_tag_.end()) {
    return found->second.find(':') == std::string::npos ? with_kind(tag, found->second) : found->second;
  }
  return std::string(tag);
}

}  // namespace starbridge::weights
