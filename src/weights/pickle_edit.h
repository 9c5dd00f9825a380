// Edits of a pickle that leave every byte alone but those of the values to change: a value may be pushed where it is made or
// fetched from the memo, and the same memo entry may serve values that must stay. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "weights/pickle.h"

namespace starbridge::weights {

// The value that the push at `site` of `node` should give instead.
struct Wish {
  NodeId node;
  PushSite site;
  std::string encoded;  // the opcode that pushes it
};

std::string encode_text(std::string_view text);
std::string encode_global(std::string_view module, std::string_view name);
std::string encode_number(std::uint64_t value);

// The text with the wishes granted. `pickle` was read from it with its sites.
std::string edit_pickle(std::string_view text, const Pickle& pickle, const std::vector<Wish>& wishes);

}  // namespace starbridge::weights
