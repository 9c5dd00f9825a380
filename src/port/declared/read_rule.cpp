// One rule of a rule file: every field looked at, every mistake at its line.
#include <algorithm>
#include <array>
#include <charconv>

#include "port/declared/rule_reader.h"
#include "port/declared/template.h"
#include "port/declared/text_pattern.h"

namespace starbridge::port {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;
using base::YamlNode;

template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

template <class Value, std::size_t kCount>
Status choose(const YamlNode* node, const std::array<Choice<Value>, kCount>& choices, Value& value) {
  if (node == nullptr) return {};
  SB_TRY(std::string word, node->as_string());
  std::string all;
  for (const Choice<Value>& choice : choices) {
    if (choice.word == word) {
      value = choice.value;
      return {};
    }
    all += (all.empty() ? "" : ", ") + std::string(choice.word);
  }
  return node->wrong(text("\"{}\" is none of: {}", "“{}”不在可选值中：{}", word, all));
}

Status read_text(const YamlNode* node, std::string& value) {
  if (node == nullptr) return {};
  SB_TRY(value, node->as_string());
  return {};
}

Status read_list(const YamlNode* node, std::vector<std::string>& value) {
  if (node == nullptr) return {};
  SB_TRY(value, node->as_string_list());
  if (value.empty()) return node->wrong(text("the list is empty", "列表为空"));
  return {};
}

Status read_flag(const YamlNode* node, std::optional<bool>& value) {
  if (node == nullptr) return {};
  SB_TRY(bool flag, node->as_boolean());
  value = flag;
  return {};
}

Status read_both_languages(const YamlNode* node, base::Text& value) {
  if (node == nullptr) return {};
  SB_TRY_VOID(node->refuse_unknown_fields({"en", "zh"}));
  SB_TRY(const YamlNode* en, node->require("en"));
  SB_TRY(const YamlNode* zh, node->require("zh"));
  SB_TRY(value.en, en->as_string());
  SB_TRY(value.zh, zh->as_string());
  return {};
}

// Templates may name only what a match has.
Status check_template(const YamlNode* node, const DeclaredRule& rule) {
  if (node == nullptr) return {};
  std::string wrong = wrong_hole(node->scalar(), rule);
  if (wrong.empty()) return {};
  return node->wrong(text("{} stands for nothing here", "此处 {} 没有对应内容", wrong))
      .next(text("known: {}", "可用：{}", known_holes(rule)));
}

Status read_scope(const YamlNode* node, RuleScope& scope) {
  if (node == nullptr) return {};
  SB_TRY_VOID(node->refuse_unknown_fields(
      {"languages", "paths", "not_paths", "families", "chips", "lacks_dtype", "torch_below", "styles"}));
  SB_TRY_VOID(read_list(node->find("languages"), scope.languages));
  SB_TRY_VOID(read_list(node->find("paths"), scope.paths));
  SB_TRY_VOID(read_list(node->find("not_paths"), scope.paths_refused));
  SB_TRY_VOID(read_list(node->find("families"), scope.families));
  SB_TRY_VOID(read_list(node->find("chips"), scope.chips));
  SB_TRY_VOID(read_text(node->find("lacks_dtype"), scope.dtype_lacking));
  SB_TRY_VOID(read_text(node->find("torch_below"), scope.torch_below));
  SB_TRY_VOID(read_list(node->find("styles"), scope.styles));
  for (const std::string& family : scope.families) {
    bool is_known = std::any_of(families().begin(), families().end(), [&](const Family& each) { return each.backend == family; });
    if (!is_known) return node->find("families")->wrong(text("no family is called {}", "没有名为 {} 的系列", family));
  }
  for (const std::string& style : scope.styles) {
    if (!find_style(style)) return node->find("styles")->wrong(text("no style is called {}", "没有名为 {} 的样式", style));
  }
  return {};
}

Result<ArgumentTest> read_argument_test(const YamlNode& node) {
  using Is = ArgumentTest::Is;
  static constexpr std::array<Choice<Is>, 7> kKinds = {{{"present", Is::kPresent},
                                                        {"absent", Is::kAbsent},
                                                        {"text", Is::kText},
                                                        {"number", Is::kNumber},
                                                        {"true", Is::kTrue},
                                                        {"false", Is::kFalse},
                                                        {"none", Is::kNone}}};
  ArgumentTest test;
  SB_TRY_VOID(node.refuse_unknown_fields({"keyword", "position", "is", "text", "equals"}));
  SB_TRY(const YamlNode* keyword, node.require("keyword"));
  SB_TRY(test.keyword, keyword->as_string());
  if (const YamlNode* position = node.find("position")) {
    SB_TRY(std::int64_t number, position->as_integer());
    if (number < 0 || number > 99) return position->wrong(text("0 to 99 was expected", "应为 0 至 99"));
    test.position = static_cast<int>(number);
  }
  SB_TRY_VOID(choose(node.find("is"), kKinds, test.is));
  SB_TRY_VOID(read_list(node.find("text"), test.text));
  SB_TRY_VOID(read_list(node.find("equals"), test.equals));
  if (!test.text.empty() && test.is == Is::kAnything) test.is = Is::kText;
  return test;
}

Status read_match(const YamlNode& node, RuleMatch& match) {
  using Kind = RuleMatch::Kind;
  static constexpr std::array<Choice<Kind>, 7> kKinds = {{{"call", Kind::kCall},
                                                          {"name", Kind::kName},
                                                          {"method", Kind::kMethod},
                                                          {"import", Kind::kImport},
                                                          {"environment", Kind::kEnvironment},
                                                          {"device_text", Kind::kDeviceText},
                                                          {"text", Kind::kText}}};
  SB_TRY_VOID(node.refuse_unknown_fields({"call",        "name",          "method",          "import",        "environment",
                                          "device_text", "text",          "arguments",       "only_these",    "inside",
                                          "outside",     "in_main_guard", "at_module_level", "in_loop",       "compared",
                                          "file_has",    "file_lacks",    "after",           "once_per_file", "foreign"}));
  const YamlNode* names = nullptr;
  for (const Choice<Kind>& kind : kKinds) {
    const YamlNode* found = node.find(kind.word);
    if (found == nullptr) continue;
    if (names != nullptr) return found->wrong(text("a rule looks for one kind of thing", "一条规则只查找一类对象"));
    names = found;
    match.kind = kind.value;
  }
  if (names == nullptr)
    return node.wrong(text("nothing to look for: one of call, name, method, import, environment, device_text, text",
                           "没有查找对象：应有 call、name、method、import、environment、device_text、text 之一"));
  SB_TRY_VOID(read_list(names, match.names));
  if (match.kind == Kind::kText) {
    if (match.names.size() != 1) return names->wrong(text("one pattern was expected", "此处应为一个模式"));
    Result<TextPattern> pattern = TextPattern::compile(match.names[0]);
    if (!pattern.ok()) return names->wrong(pattern.error().message());
  }
  if (const YamlNode* arguments = node.find("arguments")) {
    if (match.kind != Kind::kCall && match.kind != Kind::kMethod)
      return arguments->wrong(text("only calls have arguments", "只有调用才有参数"));
    if (!arguments->is_sequence()) return arguments->wrong(text("a list was expected", "此处应为列表"));
    for (const YamlNode& item : arguments->items()) {
      SB_TRY(ArgumentTest test, read_argument_test(item));
      match.arguments.push_back(std::move(test));
    }
  }
  std::optional<bool> flag;
  SB_TRY_VOID(read_flag(node.find("only_these"), flag));
  match.has_only_these = flag.value_or(false);
  SB_TRY_VOID(read_list(node.find("inside"), match.inside));
  SB_TRY_VOID(read_list(node.find("outside"), match.outside));
  SB_TRY_VOID(read_flag(node.find("in_main_guard"), match.is_in_main_guard));
  SB_TRY_VOID(read_flag(node.find("at_module_level"), match.is_at_module_level));
  SB_TRY_VOID(read_flag(node.find("in_loop"), match.is_in_loop));
  SB_TRY_VOID(read_flag(node.find("compared"), match.is_compared));
  SB_TRY_VOID(read_list(node.find("file_has"), match.file_has));
  SB_TRY_VOID(read_list(node.find("file_lacks"), match.file_lacks));
  SB_TRY_VOID(read_list(node.find("after"), match.comes_after));
  flag.reset();
  SB_TRY_VOID(read_flag(node.find("once_per_file"), flag));
  match.is_once_per_file = flag.value_or(false);
  flag.reset();
  SB_TRY_VOID(read_flag(node.find("foreign"), flag));
  match.is_foreign = flag.value_or(false);
  return {};
}

Result<ArgumentEdit> read_argument_edit(const YamlNode& node, const DeclaredRule& rule) {
  using Kind = ArgumentEdit::Kind;
  static constexpr std::array<Choice<Kind>, 4> kKinds = {
      {{"add", Kind::kAdd}, {"remove", Kind::kRemove}, {"rename", Kind::kRename}, {"set", Kind::kSet}}};
  SB_TRY_VOID(node.refuse_unknown_fields({"add", "remove", "rename", "set", "value", "to"}));
  ArgumentEdit edit;
  const YamlNode* keyword = nullptr;
  for (const Choice<Kind>& kind : kKinds) {
    const YamlNode* found = node.find(kind.word);
    if (found == nullptr) continue;
    if (keyword != nullptr) return found->wrong(text("one change per entry", "每项只写一种修改"));
    keyword = found;
    edit.kind = kind.value;
  }
  if (keyword == nullptr) return node.wrong(text("add, remove, rename or set was expected", "应为 add、remove、rename 或 set"));
  SB_TRY(edit.keyword, keyword->as_string());
  bool takes_value = edit.kind == Kind::kAdd || edit.kind == Kind::kSet;
  if (edit.kind == Kind::kRemove) return edit;
  SB_TRY(const YamlNode* value, node.require(takes_value ? "value" : "to"));
  SB_TRY(edit.value, value->as_string());
  SB_TRY_VOID(check_template(value, rule));
  return edit;
}

Status read_action(const YamlNode* node, DeclaredRule& rule) {
  if (node == nullptr) return {};
  RuleAction& action = rule.action;
  SB_TRY_VOID(node->refuse_unknown_fields({"rename", "arguments", "wrap", "replace", "needs"}));
  SB_TRY_VOID(read_text(node->find("rename"), action.rename));
  SB_TRY_VOID(read_text(node->find("replace"), action.replacement));
  SB_TRY_VOID(read_text(node->find("needs"), action.needs));
  bool is_text = rule.match.kind == RuleMatch::Kind::kText;
  for (std::string_view field : {"rename", "arguments", "wrap", "needs"}) {
    if (is_text && node->find(field) != nullptr)
      return node->find(field)->wrong(text("a rule on text only replaces", "文本规则只能 replace"));
  }
  SB_TRY_VOID(check_template(node->find("rename"), rule));
  if (!is_text) SB_TRY_VOID(check_template(node->find("replace"), rule));
  if (const YamlNode* wrap = node->find("wrap")) {
    SB_TRY_VOID(wrap->refuse_unknown_fields({"before", "after"}));
    SB_TRY_VOID(read_text(wrap->find("before"), action.before));
    SB_TRY_VOID(read_text(wrap->find("after"), action.after));
    SB_TRY_VOID(check_template(wrap->find("before"), rule));
    SB_TRY_VOID(check_template(wrap->find("after"), rule));
  }
  if (const YamlNode* arguments = node->find("arguments")) {
    bool is_call = rule.match.kind == RuleMatch::Kind::kCall || rule.match.kind == RuleMatch::Kind::kMethod;
    if (!is_call) return arguments->wrong(text("only calls have arguments", "只有调用才有参数"));
    if (!arguments->is_sequence()) return arguments->wrong(text("a list was expected", "此处应为列表"));
    for (const YamlNode& item : arguments->items()) {
      SB_TRY(ArgumentEdit edit, read_argument_edit(item, rule));
      action.arguments.push_back(std::move(edit));
    }
  }
  int shapes =
      static_cast<int>(!action.replacement.empty()) + static_cast<int>(!action.rename.empty() || !action.arguments.empty());
  if (shapes > 1) return node->wrong(text("replace excludes rename and arguments", "replace 与 rename、arguments 不能同时使用"));
  return {};
}

Result<RuleCase> read_case(const YamlNode& node) {
  RuleCase result;
  result.place = node.place();
  SB_TRY_VOID(node.refuse_unknown_fields(
      {"name", "file", "chip", "style", "torch", "source", "expect", "findings", "suggests", "no_match"}));
  SB_TRY_VOID(read_text(node.find("name"), result.name));
  SB_TRY_VOID(read_text(node.find("file"), result.file));
  SB_TRY_VOID(read_text(node.find("chip"), result.chip));
  SB_TRY_VOID(read_text(node.find("style"), result.style));
  SB_TRY_VOID(read_text(node.find("torch"), result.torch));
  SB_TRY(const YamlNode* source, node.require("source"));
  SB_TRY(result.source, source->as_string());
  if (!find_style(result.style))
    return node.find("style")->wrong(text("no style is called {}", "没有名为 {} 的样式", result.style));
  if (const YamlNode* expect = node.find("expect")) {
    SB_TRY(result.expect, expect->as_string());
  }
  if (const YamlNode* count = node.find("findings")) {
    SB_TRY(std::int64_t number, count->as_integer());
    result.finding_count = static_cast<int>(number);
  }
  if (const YamlNode* suggests = node.find("suggests")) {
    SB_TRY(result.suggests, suggests->as_string());
  }
  std::optional<bool> flag;
  SB_TRY_VOID(read_flag(node.find("no_match"), flag));
  result.is_no_match = flag.value_or(false);
  bool says_something = result.expect || result.finding_count || result.suggests;
  if (says_something == result.is_no_match)
    return node.wrong(text("a case has expect, findings or suggests, or else no_match: true",
                           "用例应有 expect、findings 或 suggests，否则写 no_match: true"));
  return result;
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= 60 && id[0] >= 'a' && id[0] <= 'z' && id.back() != '-' &&
         std::all_of(id.begin(), id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

}  // namespace

Result<DeclaredRule> read_rule(const YamlNode& node) {
  static constexpr std::array<Choice<Severity>, 3> kSeverities = {
      {{"info", Severity::kInfo}, {"warning", Severity::kWarning}, {"work", Severity::kWork}}};
  static constexpr std::array<Choice<Effort>, 4> kEfforts = {
      {{"automatic", Effort::kAutomatic}, {"assisted", Effort::kAssisted}, {"manual", Effort::kManual}, {"none", Effort::kNone}}};
  static constexpr std::array<Choice<Confidence>, 2> kConfidences = {
      {{"certain", Confidence::kCertain}, {"likely", Confidence::kLikely}}};
  DeclaredRule rule;
  rule.place = node.place();
  SB_TRY_VOID(node.refuse_unknown_fields({"id", "title", "severity", "effort", "confidence", "scope", "match", "do", "suggest",
                                          "message", "advice", "source", "instead_of", "cases"}));
  SB_TRY(const YamlNode* id, node.require("id"));
  SB_TRY(rule.id, id->as_string());
  if (!is_id(rule.id)) return id->wrong(text("an id is of small letters, digits and hyphens", "id 由小写字母、数字和连字符组成"));
  rule.place.field = rule.id;
  SB_TRY(const YamlNode* title, node.require("title"));
  SB_TRY_VOID(read_both_languages(title, rule.title));
  SB_TRY(const YamlNode* severity, node.require("severity"));
  SB_TRY_VOID(choose(severity, kSeverities, rule.severity));
  SB_TRY(const YamlNode* effort, node.require("effort"));
  SB_TRY_VOID(choose(effort, kEfforts, rule.effort));
  SB_TRY_VOID(choose(node.find("confidence"), kConfidences, rule.confidence));
  SB_TRY_VOID(read_scope(node.find("scope"), rule.scope));
  SB_TRY(const YamlNode* match, node.require("match"));
  SB_TRY_VOID(read_match(*match, rule.match));
  SB_TRY_VOID(read_action(node.find("do"), rule));
  SB_TRY_VOID(read_text(node.find("suggest"), rule.suggestion));
  SB_TRY_VOID(check_template(node.find("suggest"), rule));
  SB_TRY_VOID(read_both_languages(node.find("message"), rule.message));
  SB_TRY_VOID(read_both_languages(node.find("advice"), rule.advice));
  for (std::string_view field : {"message", "advice"}) {
    if (const YamlNode* texts = node.find(field)) {
      SB_TRY_VOID(check_template(texts->find("en"), rule));
      SB_TRY_VOID(check_template(texts->find("zh"), rule));
    }
  }
  SB_TRY_VOID(read_text(node.find("source"), rule.source));
  SB_TRY_VOID(read_list(node.find("instead_of"), rule.instead_of));
  if (rule.effort == Effort::kAutomatic && rule.action.is_empty())
    return effort->wrong(text("an automatic rule has something to do", "automatic 规则必须有 do"));
  if (rule.message.empty()) rule.message = rule.title;
  if (const YamlNode* cases = node.find("cases")) {
    if (!cases->is_sequence()) return cases->wrong(text("a list was expected", "此处应为列表"));
    for (const YamlNode& item : cases->items()) {
      SB_TRY(RuleCase each, read_case(item));
      rule.cases.push_back(std::move(each));
    }
  }
  return rule;
}

}  // namespace starbridge::port
