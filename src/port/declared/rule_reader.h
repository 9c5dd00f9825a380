// RuleReader: rule files turned into rules, every mistake with its file, line and field. One object per set; one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/yaml.h"
#include "port/declared/rule_set.h"

namespace starbridge::port {

class RuleReader {
 public:
  explicit RuleReader(const RuleSet* base);

  // A file or a folder.
  base::Status read(const std::string& path);
  // A file whose includes may not lead out of `folder`, links followed: for rules that come with a project.
  base::Status read_within(const std::string& path, const std::string& folder);
  base::Result<std::shared_ptr<const RuleSet>> finish();

 private:
  base::Status read_file(const std::filesystem::path& path, const base::YamlNode* included_by);
  base::Status read_document(const base::YamlNode& document, const std::filesystem::path& path);
  base::Status read_include(const base::YamlNode& include, const std::filesystem::path& path);

  std::shared_ptr<RuleSet> set_;
  std::string folder_;  // that includes may not leave; empty: any
  std::set<std::string> files_read_;
  std::string all_bytes_;
};

// One rule; its cases too.
base::Result<DeclaredRule> read_rule(const base::YamlNode& node);

}  // namespace starbridge::port
