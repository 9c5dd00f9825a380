// Orders of names. Natural order counts: "layers.2" comes before "layers.10". Model order is a guess at the order in which a
// model computes, for files that do not keep it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starbridge::weights {

// < 0, 0, > 0. Runs of digits compare as numbers, everything else byte by byte.
int compare_naturally(std::string_view left, std::string_view right);

struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view left, std::string_view right) const { return compare_naturally(left, right) < 0; }
};

// Sorts in place: embeddings and stems first, numbered blocks in their order, final norms and heads last.
void sort_in_model_order(std::vector<std::string>& names);

// The layer a tensor belongs to: its name without the last part, "layers.3.attn" for "layers.3.attn.weight".
std::string_view layer_of(std::string_view name);

}  // namespace starbridge::weights
