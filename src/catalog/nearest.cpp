#include "catalog/nearest.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace starbridge::catalog {
namespace {

// torch.nn.GRU and aten::gru end in "gru", Tensor.index_add_ in "indexadd".
std::string folded_last_part(std::string_view name) {
  std::size_t begin = name.find_last_of(".:");
  std::string folded = base::to_lower(begin == std::string_view::npos ? name : name.substr(begin + 1));
  folded.erase(std::remove(folded.begin(), folded.end(), '_'), folded.end());
  return folded;
}

}  // namespace

std::vector<std::string> nearest_of(std::string_view name, const std::vector<std::string_view>& names, std::size_t count) {
  std::string last = folded_last_part(name);
  std::size_t allowed = name.size() / 5 + 1;  // a longer name still begins like the others, so a third is too much
  std::vector<std::tuple<std::size_t, std::string_view>> near;  // 0: the same last part; else the distance
  std::vector<std::tuple<std::size_t, std::string_view>> same;
  for (std::string_view candidate : names) {
    if (candidate == name) continue;
    if (!last.empty() && folded_last_part(candidate) == last) {
      same.emplace_back(candidate.size(), candidate);
      continue;
    }
    std::size_t longer = std::max(candidate.size(), name.size());
    if (longer - std::min(candidate.size(), name.size()) > allowed) continue;
    std::size_t distance = base::edit_distance(name, candidate);
    if (distance <= allowed) near.emplace_back(distance, candidate);
  }
  std::sort(same.begin(), same.end());
  std::sort(near.begin(), near.end());
  same.insert(same.end(), near.begin(), near.end());
  std::vector<std::string> found;
  for (const auto& [weight, candidate] : same) {
    if (found.size() < count) found.emplace_back(candidate);
  }
  return found;
}

}  // namespace starbridge::catalog
