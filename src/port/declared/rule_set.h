// RuleSet: the rules that files declare: those of data/port/rules, those of --rules, those of a project's own
// .starbridge-rules.yaml. Immutable after load; shared; any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "port/declared/rule.h"

namespace starbridge::port {

inline constexpr std::string_view kProjectRulesName = ".starbridge-rules.yaml";
constexpr std::size_t kRuleFilesMax = 512;  // through includes, of one set
constexpr std::size_t kRulesMax = 20'000;

class RuleSet {
 public:
  // `path`: a rule file, or a folder whose *.yaml and *.yml are read, by name. `base`: rules that stand already; files may
  // disable them. Errors: those of read_yaml; base.wrong_field with file, line and field; base.file_not_found.
  static base::Result<std::shared_ptr<const RuleSet>> load(const std::string& path, const RuleSet* base = nullptr);
  // With the rules of `root`/.starbridge-rules.yaml when there is one; else `base` itself.
  static base::Result<std::shared_ptr<const RuleSet>> of_project(const std::string& root, std::shared_ptr<const RuleSet> base);
  static std::shared_ptr<const RuleSet> empty();

  const std::vector<std::shared_ptr<const DeclaredRule>>& rules() const { return rules_; }
  const DeclaredRule* find_declared(std::string_view id) const;
  // Of a declared rule or of one of the program.
  const Rule* find(std::string_view id) const;

  using Rules = std::vector<const DeclaredRule*>;
  // By the name they look for; nullptr: none.
  const Rules* of_name(RuleMatch::Kind kind, std::string_view name) const;
  const Rules& device_texts() const { return device_texts_; }
  const Rules& texts() const { return texts_; }
  // Paths that rules ask the whole file about.
  bool asks_about(std::string_view path) const { return asked_.find(std::string(path)) != asked_.end(); }
  // Words without which no rule on Python matches, beyond those of PyTorch.
  const std::vector<std::string>& words() const { return words_; }
  // Changes with every byte of every rule file.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  friend class RuleReader;
  void index();

  std::vector<std::shared_ptr<const DeclaredRule>> rules_;  // by id
  std::map<std::string, Rule, std::less<>> infos_;
  std::vector<std::unordered_map<std::string, Rules>> by_name_;  // by kind
  Rules device_texts_;
  Rules texts_;
  std::map<std::string, bool, std::less<>> asked_;
  std::vector<std::string> words_;
  std::string fingerprint_;
};

}  // namespace starbridge::port
