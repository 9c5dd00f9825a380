// CompatAnswers: what the tables of data/compat say about names a person gives, for a chip or for another framework. Plain
// values; one thread.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"
#include "catalog/framework_map.h"
#include "catalog/name_map.h"

namespace starbridge::cli {

constexpr std::size_t kCompatNamesMax = 100'000;
constexpr std::size_t kNearestShown = 3;

// Names of a list, one a line; blank lines and what follows a '#' are left out. `name` is what errors call the list.
// Errors: base.usage with the line for words that cannot be a name, and for more than kCompatNamesMax names.
base::Result<std::vector<std::string>> read_compat_names(std::string_view content, const std::string& name);

struct CompatName {
  std::string name;
  std::size_t uses = 0;  // of a project; 0: somebody asked
};
// The names of PyTorch a project uses, most used first. Errors: those of port::scan_project.
base::Result<std::vector<CompatName>> names_of_project(const std::string& path, const catalog::Catalog& catalog);

struct CompatAnswer {
  std::string name;  // completed: "nn.GRU" reads "torch.nn.GRU"
  std::size_t uses = 0;
  std::vector<catalog::Evidence> evidence;
  catalog::Judgement judgement;
  catalog::NameRow mapped;  // status kUnknown with an empty source when the name map is silent
  const catalog::EnvRow* variable = nullptr;
  const catalog::LibraryRow* library = nullptr;
  std::vector<std::string> nearest;  // of a name nothing is known of

  bool is_mapped() const { return !mapped.source.empty() && mapped.note != "not_listed"; }
  bool is_known() const { return !evidence.empty() || is_mapped() || variable != nullptr || library != nullptr; }
};

struct CompatTables {
  catalog::ApiTable api;
  catalog::NameMap names;
  catalog::EnvMap env;
  catalog::LibraryMap libraries;
  static base::Result<CompatTables> load(const std::string& data_dir);
};

// Nearest names are looked for only for the first of a long list: kSuggestedMax passes over the table.
std::vector<CompatAnswer> answer_for_chip(const CompatTables& tables, const catalog::Chip& chip, const std::string& torch_version,
                                          const std::vector<CompatName>& names);

struct FrameworkAnswer {
  std::string name;
  std::size_t uses = 0;
  std::vector<const catalog::FrameworkRow*> rows;  // the newest source first
  std::vector<std::string> nearest;
};
std::vector<FrameworkAnswer> answer_for_framework(const catalog::FrameworkMap& map, const catalog::ApiTable& table,
                                                  const std::string& framework, const std::vector<CompatName>& names);

}  // namespace starbridge::cli
