#include "port/files/requirement_list.h"

#include <algorithm>

namespace starbridge::port {

void RequirementList::add(Requirement requirement, Insert insert, Remove remove) {
  entries_.push_back({std::move(requirement), std::move(insert), std::move(remove)});
}

void RequirementList::judge(Sheet& sheet) const {
  bool has_plugin = std::any_of(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) { return is_plugin_of(entry.requirement, sheet.target()); });
  for (const Entry& entry : entries_) {
    if (is_foreign_plugin(entry.requirement, sheet.target())) {
      entry.remove();
      continue;
    }
    judge_requirement(entry.requirement, sheet);
    bool wants_plugin = entry.requirement.folded_name == "torch" && !has_plugin && !sheet.target().family->plugin.empty() &&
                        !entry.requirement.is_url;
    if (!wants_plugin) continue;
    if (std::optional<std::string> plugin = plugin_beside(entry.requirement, sheet)) entry.insert(*plugin);
  }
}

}  // namespace starbridge::port
