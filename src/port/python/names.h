// Names: reads the name tables in any direction: cuda to another family, back, and between two others through cuda.
// Built once per target; immutable; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/name_map.h"
#include "port/target.h"

namespace starbridge::port::python {

struct Translation {
  catalog::MapStatus status = catalog::MapStatus::kUnknown;
  std::string target;  // full name for the target's family; empty when there is none
  std::string note;
  std::string source;
};

class Names {
 public:
  Names(const catalog::NameMap& map, const Family& target);

  // The CUDA name that `path` stands for: itself, or what "torch.npu.X", "torch_npu.npu.X", "torch.backends.mlu.X" mirror.
  // Empty when the path names no family.
  std::string canonical(std::string_view path) const;
  // What `path` is called for the target. nullopt: the path has nothing to do with a family, or is the target's already.
  std::optional<Translation> translate(std::string_view path) const;

 private:
  const catalog::NameMap& map_;
  const Family& target_;
  std::map<std::string, std::string, std::less<>> canonical_;  // other family's name -> cuda name
};

}  // namespace starbridge::port::python
