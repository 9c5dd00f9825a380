// Rules of the emulated NVIDIA card's checkers, as --explain shows them. Plain data; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/text.h"

namespace starbridge::kernel {

struct Rule {
  std::string_view id;
  bool is_error;
  base::Text title;
  base::Text explanation;  // what it means on a real card, and what to do
  std::string_view wrong;  // a line or two that break it
  std::string_view right;
};

const std::vector<Rule>& rules();
const Rule* find_rule(std::string_view id);

}  // namespace starbridge::kernel
