// DeviceMap: which device tag becomes which. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace starbridge::weights {

class DeviceMap {
 public:
  // "cpu", "npu:0": every tag becomes it. "npu": every accelerator's tag becomes npu with its own index, "cpu" stays.
  // "cuda=npu,cuda:3=cpu": by tag or by kind; other tags stay. Empty: nothing changes.
  // Error: base.usage.
  static base::Result<DeviceMap> parse(const std::string& word);

  std::string apply(std::string_view tag) const;
  bool is_empty() const { return all_.empty() && kind_.empty() && by_tag_.empty(); }

 private:
  std::string all_;
  std::string kind_;  // of all accelerators
  std::map<std::string, std::string, std::less<>> by_tag_;
};

}  // namespace starbridge::weights
