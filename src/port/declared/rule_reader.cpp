#include "port/declared/rule_reader.h"

#include <algorithm>

#include "base/files.h"
#include "base/hash.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using base::Status;
using base::text;
using base::YamlNode;

constexpr std::size_t kRuleFileBytesMax = 4UL << 20;
constexpr std::string_view kSchema = "starbridge.rules/1";

bool is_rule_file(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

}  // namespace

RuleReader::RuleReader(const RuleSet* base) : set_(std::make_shared<RuleSet>()) {
  if (base == nullptr) return;
  set_->rules_ = base->rules_;
  all_bytes_ = base->fingerprint_;
}

Status RuleReader::read(const std::string& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return read_file(path, nullptr);
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (is_rule_file(entry->path())) files.push_back(entry->path());
  }
  if (failure) return base::io_error(failure.value(), text("cannot read the folder of rules", "无法读取规则目录"), path);
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    return base::Error("base.file_not_found", text("the folder holds no rule file", "该目录中没有规则文件"))
        .at(path)
        .next(text("rule files end in .yaml", "规则文件以 .yaml 结尾"));
  }
  for (const fs::path& file : files) SB_TRY_VOID(read_file(file, nullptr));
  return {};
}

Status RuleReader::read_within(const std::string& path, const std::string& folder) {
  std::error_code failure;
  folder_ = fs::weakly_canonical(folder, failure).string();
  return read_file(path, nullptr);
}

Status RuleReader::read_file(const fs::path& path, const YamlNode* included_by) {
  std::error_code failure;
  fs::path real = fs::weakly_canonical(path, failure);
  if (!folder_.empty()) {
    fs::path below = real.lexically_relative(folder_);
    if (below.empty() || *below.begin() == "..") {
      base::Text message = text("the rules of a project lie inside it", "项目自带的规则必须位于项目之内");
      if (included_by != nullptr) return included_by->wrong(message);
      return base::Error("base.wrong_field", message).at(path.string());
    }
  }
  if (!files_read_.insert(real.string()).second) return {};  // included twice, or in a circle: once is enough
  if (files_read_.size() > kRuleFilesMax) {
    return base::Error("base.wrong_field", text("more than {} rule files", "规则文件超过 {} 个", kRuleFilesMax))
        .at(path.string());
  }
  base::Result<std::string> bytes = base::read_file(path.string(), kRuleFileBytesMax);
  if (!bytes.ok()) {
    if (included_by != nullptr) return included_by->wrong(bytes.error().message());
    return std::move(bytes).error();
  }
  all_bytes_ += "\n" + base::sha256_hex(*bytes);
  SB_TRY(YamlNode document, base::parse_yaml(*bytes, path.string()));
  return read_document(document, path);
}

Status RuleReader::read_include(const YamlNode& include, const fs::path& path) {
  SB_TRY(std::string name, include.as_string());
  if (name.empty() || fs::path(name).is_absolute())
    return include.wrong(text("an include is a path beside this file", "include 是相对本文件的路径"));
  return read_file(path.parent_path() / name, &include);
}

Status RuleReader::read_document(const YamlNode& document, const fs::path& path) {
  SB_TRY_VOID(document.refuse_unknown_fields({"schema", "include", "disable", "rules"}));
  SB_TRY(const YamlNode* schema, document.require("schema"));
  SB_TRY(std::string version, schema->as_string());
  if (version != kSchema) return schema->wrong(text("\"{}\" was expected", "此处应为“{}”", kSchema));
  if (const YamlNode* includes = document.find("include")) {
    if (includes->is_scalar()) SB_TRY_VOID(read_include(*includes, path));
    for (const YamlNode& include : includes->items()) SB_TRY_VOID(read_include(include, path));
    if (includes->is_mapping()) return includes->wrong(text("a list of paths was expected", "此处应为路径列表"));
  }
  auto same_id = [](const std::string& id) { return [&id](const auto& rule) { return rule->id == id; }; };
  if (const YamlNode* disable = document.find("disable")) {
    SB_TRY(std::vector<std::string> ids, disable->as_string_list());
    for (const std::string& id : ids) {
      auto found = std::find_if(set_->rules_.begin(), set_->rules_.end(), same_id(id));
      if (found == set_->rules_.end()) {
        return disable->wrong(text("no declared rule is called {}", "没有名为 {} 的规则", id))
            .next(text("see starbridge rules list", "请看 starbridge rules list"));
      }
      set_->rules_.erase(found);
    }
  }
  const YamlNode* rules = document.find("rules");
  if (rules == nullptr || rules->is_null()) return {};
  if (!rules->is_sequence()) return rules->wrong(text("a list of rules was expected", "此处应为规则列表"));
  for (const YamlNode& node : rules->items()) {
    SB_TRY(DeclaredRule rule, read_rule(node));
    auto known = std::find_if(set_->rules_.begin(), set_->rules_.end(), same_id(rule.id));
    if (known != set_->rules_.end() || find_rule(rule.id) != nullptr) {
      std::string where = known == set_->rules_.end() ? "starbridge" : (*known)->place.to_string();
      return node.find("id")
          ->wrong(text("a rule is called {} already: {}", "已有名为 {} 的规则：{}", rule.id, where))
          .next(text("choose another id, or list it under \"disable\"", "换一个 id，或写入 disable"));
    }
    set_->rules_.push_back(std::make_shared<const DeclaredRule>(std::move(rule)));
    if (set_->rules_.size() > kRulesMax) return node.wrong(text("more than {} rules", "规则超过 {} 条", kRulesMax));
  }
  return {};
}

base::Result<std::shared_ptr<const RuleSet>> RuleReader::finish() {
  set_->fingerprint_ = base::sha256_hex(all_bytes_);
  set_->index();
  return std::shared_ptr<const RuleSet>(std::move(set_));
}

}  // namespace starbridge::port
