// Uses: which names of PyTorch a file uses and how often, for plans and summaries over a project: what would drift, what another
// framework calls it. Names in code are known through imports; methods of tensors are told by their names alone. Pure; any
// thread.
#pragma once

#include <array>
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

// What asks for float16: autocast on CUDA means it unless told otherwise.
inline constexpr std::array<std::string_view, 10> kHalfNames = {
    "torch.float16",  "torch.half",         "torch.HalfTensor",        "torch.cuda.HalfTensor",     "Tensor.half",
    "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cuda.amp.GradScaler", "torch.amp.GradScaler"};
inline constexpr std::array<std::string_view, 4> kBfloat16Names = {"torch.bfloat16", "torch.BFloat16Tensor",
                                                                   "torch.cuda.BFloat16Tensor", "Tensor.bfloat16"};
bool asks_for_16_bit(const std::vector<NameUse>& uses);

constexpr std::size_t kUsePlacesMax = 20;

struct ProjectUse {
  std::size_t count = 0;
  std::vector<base::Place> places;  // one a file, at most kUsePlacesMax
  // Of these in files where 16 bit may come, see Reached.
  std::size_t count_16_bit = 0;
  std::vector<base::Place> places_16_bit;
};
using ProjectUses = std::map<std::string, ProjectUse, std::less<>>;

}  // namespace starbridge::port
