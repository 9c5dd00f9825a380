#include "port/declared/rule_set.h"

#include <algorithm>
#include <filesystem>

#include "port/declared/rule_reader.h"

namespace starbridge::port {

namespace fs = std::filesystem;

std::shared_ptr<const RuleSet> RuleSet::empty() {
  static const std::shared_ptr<const RuleSet> kNone = [] {
    auto none = std::make_shared<RuleSet>();
    none->index();
    return none;
  }();
  return kNone;
}

base::Result<std::shared_ptr<const RuleSet>> RuleSet::load(const std::string& path, const RuleSet* base) {
  RuleReader reader(base);
  SB_TRY_VOID(reader.read(path));
  return reader.finish();
}

base::Result<std::shared_ptr<const RuleSet>> RuleSet::of_project(const std::string& root, std::shared_ptr<const RuleSet> base) {
  std::error_code failure;
  std::string path = root + "/" + std::string(kProjectRulesName);
  if (!fs::is_directory(root, failure) || !fs::exists(path, failure)) return base;
  RuleReader reader(base.get());
  SB_TRY_VOID(reader.read_within(path, root));
  return reader.finish();
}

const DeclaredRule* RuleSet::find_declared(std::string_view id) const {
  auto found = std::lower_bound(rules_.begin(), rules_.end(), id,
                                [](const auto& rule, std::string_view wanted) { return rule->id < wanted; });
  return found == rules_.end() || (*found)->id != id ? nullptr : found->get();
}

const Rule* RuleSet::find(std::string_view id) const {
  auto found = infos_.find(id);
  return found != infos_.end() ? &found->second : find_rule(id);
}

const RuleSet::Rules* RuleSet::of_name(RuleMatch::Kind kind, std::string_view name) const {
  const auto& names = by_name_[static_cast<std::size_t>(kind)];
  if (names.empty()) return nullptr;
  auto found = names.find(std::string(name));
  return found == names.end() ? nullptr : &found->second;
}

void RuleSet::index() {
  std::sort(rules_.begin(), rules_.end(), [](const auto& left, const auto& right) { return left->id < right->id; });
  by_name_.resize(static_cast<std::size_t>(RuleMatch::Kind::kText) + 1);
  for (const auto& rule : rules_) {
    infos_.emplace(rule->id, Rule{rule->id, rule->effort, rule->confidence, rule->title.en, rule->title.zh});
    const RuleMatch& match = rule->match;
    if (match.kind == RuleMatch::Kind::kText) {
      texts_.push_back(rule.get());
      continue;
    }
    if (match.kind == RuleMatch::Kind::kDeviceText) device_texts_.push_back(rule.get());
    for (const std::string& name : match.names) {
      by_name_[static_cast<std::size_t>(match.kind)][name].push_back(rule.get());
      bool is_path =
          match.kind == RuleMatch::Kind::kCall || match.kind == RuleMatch::Kind::kName || match.kind == RuleMatch::Kind::kImport;
      if (match.kind != RuleMatch::Kind::kDeviceText) words_.push_back(is_path ? name.substr(0, name.find('.')) : name);
    }
    for (const auto* list : {&match.file_has, &match.file_lacks, &match.comes_after}) {
      for (const std::string& path : *list) asked_.emplace(path, true);
    }
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

}  // namespace starbridge::port
