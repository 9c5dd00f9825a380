// Nearest: the dotted names a person may have meant. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starbridge::catalog {

// At most `count` of `names` (no two equal, `name` itself left out): first those whose last part is that of `name` but for case
// and underscores, shortest first; then those within a fifth of the letters, nearest first.
std::vector<std::string> nearest_of(std::string_view name, const std::vector<std::string_view>& names, std::size_t count);

}  // namespace starbridge::catalog
