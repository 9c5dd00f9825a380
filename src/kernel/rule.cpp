#include "kernel/rule.h"

#include <algorithm>

namespace starbridge::kernel {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = {
#define SB_KERNEL_RULE(id, is_error, title_en, title_zh, why_en, why_zh, wrong, right) \
  {id, is_error, {title_en, title_zh}, {why_en, why_zh}, wrong, right},
#include "kernel/rules.def"
#undef SB_KERNEL_RULE
  };
  return table;
}

const Rule* find_rule(std::string_view id) {
  const std::vector<Rule>& all = rules();
  auto found = std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace starbridge::kernel
