#include "catalog/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "catalog/fact_reader.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {

using base::Error;
using base::Result;
using base::Status;
using base::text;
using base::YamlNode;

namespace {

// The *.yaml files of a folder, sorted by name.
Result<std::vector<std::string>> yaml_files(const std::string& folder) {
  std::error_code failure;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  if (failure) {
    return Error("base.file_not_found", text("the folder {} cannot be read", "无法读取目录 {}", folder)).at(folder);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Status check_id(const YamlNode& id, const std::string& path) {
  std::string stem = std::filesystem::path(path).stem().string();
  if (id.scalar() == stem) return {};
  return id.wrong(text("the id must be the name of the file, \"{}\"", "id 应与文件名“{}”一致", stem));
}

Result<std::string> required_text(const YamlNode& root, std::string_view key) {
  SB_TRY(const YamlNode* node, root.require(key));
  SB_TRY(std::string value, node->as_string());
  if (value.empty()) return node->wrong(text("the text is empty", "文本为空"));
  return value;
}

std::string scalar_or_empty(const YamlNode& mapping, std::string_view key) {
  const YamlNode* node = mapping.find(key);
  return node == nullptr ? std::string() : node->scalar();
}

Result<StackVersion> read_version(const YamlNode& node, const Sources& sources) {
  SB_TRY_VOID(node.refuse_unknown_fields({"torch", "plugin", "toolkit", "python", "status", "source", "confidence"}));
  StackVersion version;
  SB_TRY(version.torch, required_text(node, "torch"));
  version.plugin = scalar_or_empty(node, "plugin");
  version.toolkit = scalar_or_empty(node, "toolkit");
  version.python = scalar_or_empty(node, "python");
  SB_TRY(const YamlNode* status, node.require("status"));
  if (status->scalar() != "recommended" && status->scalar() != "supported") {
    return status->wrong(text("recommended or supported was expected", "此处应为 recommended 或 supported"));
  }
  version.is_recommended = status->scalar() == "recommended";
  SB_TRY(version.source, read_source_id(node, sources));
  SB_TRY(version.confidence, read_confidence(node));
  return version;
}

Result<Stack> read_stack(const std::string& path, const FactKinds& kinds, const Sources& sources) {
  SB_TRY(YamlNode root, base::read_yaml(path));
  SB_TRY_VOID(root.refuse_unknown_fields({"schema", "id", "name", "vendor", "backend", "facts", "dtypes", "versions"}));
  SB_TRY_VOID(require_scalar(root, "schema", "starbridge.stack/1"));
  Stack stack;
  SB_TRY(stack.id, required_text(root, "id"));
  SB_TRY_VOID(check_id(*root.find("id"), path));
  SB_TRY(stack.name, required_text(root, "name"));
  SB_TRY(stack.vendor, required_text(root, "vendor"));
  SB_TRY(stack.backend, required_text(root, "backend"));
  FactRules rules{kinds, sources, "stack"};
  SB_TRY(const YamlNode* facts, root.require("facts"));
  SB_TRY(stack.facts, read_facts(*facts, rules));
  if (const YamlNode* dtypes = root.find("dtypes")) {
    SB_TRY(stack.dtypes, read_dtypes(*dtypes, rules));
  }
  if (const YamlNode* versions = root.find("versions")) {
    for (const YamlNode& item : versions->items()) {
      SB_TRY(StackVersion version, read_version(item, sources));
      stack.versions.push_back(std::move(version));
    }
  }
  return stack;
}

using Stacks = std::map<std::string, Stack, std::less<>>;

Result<Chip> read_chip(const std::string& path, const FactKinds& kinds, const Sources& sources, const Stacks& stacks) {
  SB_TRY(YamlNode root, base::read_yaml(path));
  SB_TRY_VOID(root.refuse_unknown_fields({"schema", "id", "name", "name_zh", "vendor", "stack", "aliases", "facts", "dtypes"}));
  SB_TRY_VOID(require_scalar(root, "schema", "starbridge.chip/1"));
  Chip chip;
  SB_TRY(chip.id, required_text(root, "id"));
  SB_TRY_VOID(check_id(*root.find("id"), path));
  SB_TRY(chip.name, required_text(root, "name"));
  SB_TRY(chip.name_zh, required_text(root, "name_zh"));
  SB_TRY(chip.vendor, required_text(root, "vendor"));
  SB_TRY(const YamlNode* stack_node, root.require("stack"));
  auto stack = stacks.find(stack_node->scalar());
  if (stack == stacks.end()) {
    return stack_node->wrong(text("there is no stack \"{}\"", "没有软件栈“{}”", base::sanitize_utf8(stack_node->scalar())))
        .next(text("add data/stacks/{}.yaml", "请添加 data/stacks/{}.yaml", base::sanitize_utf8(stack_node->scalar())));
  }
  chip.stack = &stack->second;
  if (const YamlNode* aliases = root.find("aliases")) {
    SB_TRY(chip.aliases, aliases->as_string_list());
  }
  FactRules rules{kinds, sources, "chip"};
  SB_TRY(const YamlNode* facts, root.require("facts"));
  SB_TRY(chip.facts, read_facts(*facts, rules));
  if (const YamlNode* dtypes = root.find("dtypes")) {
    SB_TRY(chip.dtypes, read_dtypes(*dtypes, rules));
  }
  return chip;
}

}  // namespace

std::string fold_chip_name(std::string_view name) {
  std::string folded;
  for (char letter : base::to_lower(name)) {
    if (letter != '-' && letter != '_' && letter != ' ') folded += letter;
  }
  return folded;
}

Result<Catalog> Catalog::load(const std::string& data_dir) {
  Catalog catalog;
  catalog.data_dir_ = data_dir;
  SB_TRY(catalog.fact_kinds_, read_fact_kinds(data_dir + "/facts.tsv"));
  SB_TRY(catalog.sources_, read_sources(data_dir + "/sources.tsv"));
  SB_TRY(std::vector<std::string> stack_files, yaml_files(data_dir + "/stacks"));
  for (const std::string& path : stack_files) {
    SB_TRY(Stack stack, read_stack(path, catalog.fact_kinds_, catalog.sources_));
    std::string id = stack.id;
    catalog.stacks_.emplace(std::move(id), std::move(stack));
  }
  SB_TRY(std::vector<std::string> chip_files, yaml_files(data_dir + "/chips"));
  for (const std::string& path : chip_files) {
    SB_TRY(Chip chip, read_chip(path, catalog.fact_kinds_, catalog.sources_, catalog.stacks_));
    SB_TRY_VOID(catalog.index_chip(chip, path));
    catalog.chips_.push_back(std::move(chip));
  }
  SB_TRY(catalog.prices_, read_price_book(data_dir + "/prices/card_hours.yaml", catalog.sources_));
  for (const PriceRow& row : catalog.prices_.rows()) {
    if (catalog.chip_by_key_.contains(fold_chip_name(row.chip)) && catalog.find_chip(row.chip).value()->id == row.chip) continue;
    return bad_data(
        data_dir + "/prices/card_hours.yaml", 0, "chip",
        text("a price names the chip \"{}\", which the catalogue does not have", "价格涉及目录中没有的芯片“{}”", row.chip));
  }
  return catalog;
}

Status Catalog::index_chip(const Chip& chip, const std::string& path) {
  std::vector<std::string> names = chip.aliases;
  names.push_back(chip.id);
  std::set<std::string> keys;
  for (const std::string& name : names) keys.insert(fold_chip_name(name));
  for (const std::string& key : keys) {
    auto [place, is_new] = chip_by_key_.emplace(key, chips_.size());
    if (is_new) continue;
    return bad_data(path, 0, "aliases",
                    text("the name \"{}\" already belongs to {}", "名称“{}”已属于 {}", key, chips_[place->second].id));
  }
  return {};
}

Result<Catalog> Catalog::load_installed() {
  SB_TRY(std::string root, base::installation_root());
  return load(root + "/data");
}

Result<const Chip*> Catalog::find_chip(std::string_view id_or_alias) const {
  auto found = chip_by_key_.find(fold_chip_name(id_or_alias));
  if (found != chip_by_key_.end()) return &chips_[found->second];
  std::vector<std::string> names;
  for (const Chip& chip : chips_) {
    names.push_back(chip.id);
    for (const std::string& alias : chip.aliases) names.push_back(alias);
  }
  std::string word = base::sanitize_utf8(id_or_alias);
  Error error("catalog.unknown_chip", text("there is no chip \"{}\"", "没有芯片“{}”", word));
  std::string near = base::nearest_word(base::to_lower(id_or_alias), names);
  if (near.empty()) return std::move(error).next(text("list them with starbridge chips", "用 starbridge chips 列出全部芯片"));
  return std::move(error).next(text("did you mean {}?", "是否想用 {}？", find_chip(near).value()->id));
}

const Stack* Catalog::find_stack(std::string_view id) const {
  auto found = stacks_.find(id);
  return found == stacks_.end() ? nullptr : &found->second;
}

const Source* Catalog::find_source(std::string_view id) const {
  auto found = sources_.find(id);
  return found == sources_.end() ? nullptr : &found->second;
}

const FactKind* Catalog::find_fact_kind(std::string_view name) const {
  auto found = fact_kinds_.find(name);
  return found == fact_kinds_.end() ? nullptr : &found->second;
}

}  // namespace starbridge::catalog
