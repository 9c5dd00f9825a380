// Uses: which names of PyTorch a file uses and how often, for plans and summaries over a project: what would drift, what another
// framework calls it. Names in code are known through imports; methods of tensors are told by their names alone. Pure; any
// thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "port/python/sites.h"
#include "port/source_file.h"

namespace starbridge::port {

struct NameUse {
  std::string name;  // "torch.softmax", "Tensor.softmax", "Tensor.@"
  LineColumn first;
  std::size_t count = 0;
};

// Sorted by name.
std::vector<NameUse> collect_uses(const SourceFile& file, const python::Sites& sites);

constexpr std::size_t kUsePlacesMax = 20;

struct ProjectUse {
  std::size_t count = 0;
  std::vector<base::Place> places;  // one a file, at most kUsePlacesMax
};
using ProjectUses = std::map<std::string, ProjectUse, std::less<>>;

}  // namespace starbridge::port
