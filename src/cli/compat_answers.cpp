#include "cli/compat_answers.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/nearest.h"
#include "port/project.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::Result;
using base::text;
using catalog::ApiTable;
using catalog::FrameworkRow;

constexpr std::size_t kSuggestedMax = 50;
constexpr std::size_t kNameBytesMax = 200;

bool can_be_name(std::string_view word) {
  if (word.empty() || word.size() > kNameBytesMax) return false;
  return std::all_of(word.begin(), word.end(), [](char c) {
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter || c == '_' || c == '.' || c == ':' || c == '-' || c == '*';
  });
}

// Short forms users type: "nn.GRU" and "GRU" stay what they are unless "torch." + name is known.
template <class Knows>
std::string complete_name(const std::string& name, const Knows& knows) {
  if (knows(name) || !knows("torch." + name)) return name;
  return "torch." + name;
}

std::vector<std::string> nearest_names(const ApiTable& table, const std::string& name) {
  std::vector<std::string> near = table.nearest_names(name, kNearestShown);
  return near.empty() ? table.nearest_names("torch." + name, kNearestShown) : near;
}

}  // namespace

Result<std::vector<std::string>> read_compat_names(std::string_view content, const std::string& name) {
  std::vector<std::string> names;
  int line = 0;
  while (!content.empty()) {
    ++line;
    std::size_t end = content.find('\n');
    std::string_view word = content.substr(0, end);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    if (line == 1 && word.substr(0, 3) == "\xEF\xBB\xBF") word.remove_prefix(3);
    word = base::trim(word.substr(0, word.find('#')));
    if (word.empty()) continue;
    if (!can_be_name(word)) {
      return Error("base.usage", text("\"{}\" is not a name", "“{}”不是名称", base::sanitize_utf8(word.substr(0, kNameBytesMax))))
          .at(name, line)
          .next(text("write one name a line, such as torch.nn.GRU", "每行写一个名称，例如 torch.nn.GRU"));
    }
    if (names.size() == kCompatNamesMax) {
      return Error("base.usage", text("more than {} names", "名称超过 {} 个", kCompatNamesMax)).at(name, line);
    }
    names.emplace_back(word);
  }
  return names;
}

Result<std::vector<CompatName>> names_of_project(const std::string& path, const catalog::Catalog& catalog) {
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  SB_TRY(port::ProjectReport project, port::scan_project(path, port::make_context(tables, {})));
  std::vector<CompatName> names;
  for (const auto& [name, use] : project.uses) {
    if (name == "Tensor.@") continue;  // no name anybody looks up
    names.push_back({name.rfind("Tensor.", 0) == 0 ? "torch." + name : name, use.count});
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const CompatName& left, const CompatName& right) { return left.uses > right.uses; });
  return names;
}

Result<CompatTables> CompatTables::load(const std::string& data_dir) {
  SB_TRY(ApiTable api, ApiTable::load(data_dir));
  SB_TRY(catalog::NameMap names, catalog::NameMap::load(data_dir));
  SB_TRY(catalog::EnvMap env, catalog::EnvMap::load(data_dir));
  SB_TRY(catalog::LibraryMap libraries, catalog::LibraryMap::load(data_dir));
  return CompatTables{std::move(api), std::move(names), std::move(env), std::move(libraries)};
}

std::vector<CompatAnswer> answer_for_chip(const CompatTables& tables, const catalog::Chip& chip, const std::string& torch_version,
                                          const std::vector<CompatName>& names) {
  const std::string& backend = chip.stack->backend;
  std::string hardware = chip.facts.text("support_class").value_or("");
  std::size_t suggested = 0;
  std::vector<CompatAnswer> answers;
  for (const auto& [typed, uses] : names) {
    CompatAnswer answer;
    answer.uses = uses;
    answer.name = complete_name(typed, [&](const std::string& name) { return tables.api.knows(name); });
    answer.evidence = tables.api.find(answer.name, backend, torch_version, hardware);
    answer.judgement = ApiTable::judge(answer.evidence);
    answer.mapped = tables.names.find(answer.name, backend);
    answer.variable = tables.env.find(typed, backend);
    answer.library = tables.libraries.find_package(typed, backend);
    bool is_of_torch = answer.name.rfind("torch.", 0) == 0 || answer.name.find("::") != std::string::npos;
    if (answer.library == nullptr && !is_of_torch) answer.library = tables.libraries.find_import(typed, backend);
    // Where the very name is known, what is said of its package as a whole is left out.
    if (!answer.evidence.empty()) answer.library = nullptr;
    if (!answer.is_known() && suggested++ < kSuggestedMax) answer.nearest = nearest_names(tables.api, answer.name);
    answers.push_back(std::move(answer));
  }
  return answers;
}

std::vector<FrameworkAnswer> answer_for_framework(const catalog::FrameworkMap& map, const ApiTable& table,
                                                  const std::string& framework, const std::vector<CompatName>& names) {
  std::vector<std::string_view> known;
  for (const FrameworkRow& row : map.rows()) {
    if (row.framework == framework && (known.empty() || known.back() != row.name)) known.push_back(row.name);
  }
  auto date_of = [&](const FrameworkRow* row) {
    const catalog::Source* source = table.find_source(row->source);
    return source == nullptr ? std::string() : source->date;
  };
  std::size_t suggested = 0;
  std::vector<FrameworkAnswer> answers;
  for (const auto& [typed, uses] : names) {
    FrameworkAnswer answer;
    answer.uses = uses;
    answer.name = complete_name(typed, [&](const std::string& name) { return !map.find(name, framework).empty(); });
    for (const FrameworkRow& row : map.find(answer.name, framework)) answer.rows.push_back(&row);
    std::stable_sort(answer.rows.begin(), answer.rows.end(),
                     [&](const FrameworkRow* left, const FrameworkRow* right) { return date_of(left) > date_of(right); });
    if (answer.rows.empty() && suggested++ < kSuggestedMax)
      answer.nearest = catalog::nearest_of(answer.name, known, kNearestShown);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace starbridge::cli
