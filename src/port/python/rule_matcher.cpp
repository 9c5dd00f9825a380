#include "port/python/rule_matcher.h"

#include <algorithm>
#include <limits>

#include "port/python/flow.h"
#include "port/python/site_details.h"

namespace starbridge::port::python {
namespace {

constexpr int kCallersDepthMax = 4;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// Source texts are compared without blanks, so that (8,0) is (8, 0); texts by what stands between their quotes.
std::string without_blanks(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') plain += c == '\'' ? '"' : c;
  }
  return plain;
}

bool is_number(std::string_view text) { return !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9')); }

}  // namespace

void RuleMatcher::note(const std::string& path, NodeId node) {
  if (rules_ == nullptr || path.empty() || !rules_->asks_about(path)) return;
  auto& [anywhere, at_module_level] = used_.try_emplace(path, kNowhere, kNowhere).first->second;
  std::uint32_t begin = syntax_.node(node).begin;
  anywhere = std::min(anywhere, begin);
  if (is_at_module_level(node)) at_module_level = std::min(at_module_level, begin);
}

void RuleMatcher::visit_call(NodeId call, const std::string& path) {
  if (rules_ == nullptr) return;
  NodeId function = syntax_.child(call, Field::kFunction);
  const Rules* rules = nullptr;
  if (!path.empty()) {
    rules = rules_->of_name(RuleMatch::Kind::kCall, path);
  } else if (syntax_.kind(function) == Kind::kAttribute && !scopes_.defines_method(syntax_.node(function).symbol)) {
    rules = rules_->of_name(RuleMatch::Kind::kMethod, syntax_.name(function));
  }
  if (rules == nullptr) return;
  MatchedRule matched;
  matched.whole = span_of(call);
  matched.function = span_of(function);
  matched.brackets = span_of(syntax_.child(call, Field::kArguments));
  if (path.empty()) matched.function.first = syntax_.name_begin(function);
  read_arguments(call, matched);
  add(rules, matched, call, path.empty() ? kNoNode : function, path);
}

void RuleMatcher::visit_name(NodeId name, const std::string& path) {
  if (rules_ == nullptr) return;
  note(path, name);
  NodeId parent = syntax_.node(name).parent;
  if (syntax_.kind(parent) == Kind::kCall && syntax_.node(name).field == Field::kFunction) return;
  MatchedRule matched;
  matched.whole = matched.function = span_of(name);
  // `@torch.compile` is a call without brackets.
  std::size_t before = source_.find_last_not_of(" \t", matched.whole.first == 0 ? 0 : matched.whole.first - 1);
  matched.is_decorator = matched.whole.first > 0 && before != std::string_view::npos && source_[before] == '@' &&
                         syntax_.kind(parent) != Kind::kBinary;
  add(rules_->of_name(matched.is_decorator ? RuleMatch::Kind::kCall : RuleMatch::Kind::kName, path), matched, name, name, path);
}

void RuleMatcher::visit_import(NodeId statement) {
  if (rules_ == nullptr) return;
  NodeId module = syntax_.child(statement, Field::kModuleName);
  if (syntax_.kind(module) == Kind::kRelativeImport) return;
  std::string base = module == kNoNode ? "" : std::string(syntax_.text(module));
  auto judge = [&](const std::string& path, NodeId at) {
    note(path, at);
    MatchedRule matched;
    matched.whole = span_of(statement);
    matched.function = span_of(at);
    add(rules_->of_name(RuleMatch::Kind::kImport, path), matched, statement, kNoNode, path);
  };
  if (!base.empty()) judge(base, module);
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    NodeId name = syntax_.kind(part) == Kind::kAliasedImport ? syntax_.child(part, Field::kName) : part;
    if (part == module || syntax_.kind(name) != Kind::kDottedName) continue;
    judge(base.empty() ? std::string(syntax_.text(name)) : base + "." + std::string(syntax_.text(name)), name);
  }
}

void RuleMatcher::visit_environment(NodeId string, std::string_view variable) {
  if (rules_ == nullptr) return;
  const Rules* rules = rules_->of_name(RuleMatch::Kind::kEnvironment, variable);
  if (rules == nullptr) return;
  MatchedRule matched;
  matched.whole = matched.function = span_of(string);
  matched.assigned = assigned_subscript(syntax_, string);
  if (matched.assigned.second == 0) return;  // read, not set
  add(rules, matched, string, kNoNode);
}

void RuleMatcher::visit_device_text(NodeId string, std::string_view text) {
  if (rules_ == nullptr) return;
  for (const DeclaredRule* rule : rules_->device_texts()) {
    bool fits = std::any_of(rule->match.names.begin(), rule->match.names.end(),
                            [&](const std::string& glob) { return fits_glob(glob, text); });
    if (!fits) continue;
    MatchedRule matched;
    matched.whole = matched.function = span_of(string);
    Rules one = {rule};
    add(&one, matched, string, kNoNode);
  }
}

void RuleMatcher::read_arguments(NodeId call, MatchedRule& matched) const {
  NodeId list = syntax_.child(call, Field::kArguments);
  int position = 0;
  for (NodeId node = syntax_.node(list).first_child; node != kNoNode; node = syntax_.node(node).next_sibling) {
    MatchedRule::Argument argument;
    argument.span = argument.value = span_of(node);
    argument.is_unpacked = syntax_.kind(node) == Kind::kStar;
    argument.is_generator = syntax_.kind(node) == Kind::kGenerator && source_[argument.span.first] != '(';
    if (syntax_.kind(node) == Kind::kKeywordArgument) {
      argument.keyword = std::string(syntax_.name(node));
      argument.value = span_of(syntax_.child(node, Field::kValue));
    } else {
      argument.position = position++;
    }
    matched.arguments.push_back(std::move(argument));
  }
}

NodeId RuleMatcher::assignment_of(NodeId expression) const {
  NodeId parent = syntax_.node(expression).parent;
  bool is_value = syntax_.kind(parent) == Kind::kAssignment && syntax_.node(expression).field == Field::kRight;
  return is_value ? parent : kNoNode;
}

bool RuleMatcher::binds(NodeId node, std::string_view name) const {
  Symbol symbol = syntax_.symbols().find(name);
  if (symbol == kNoSymbol) return false;
  std::span<const Binding> bindings = scopes_.find(node, symbol);
  return bindings.size() == 1 && bindings[0].kind == Binding::Kind::kImport && scopes_.module(bindings[0]) == name;
}

void RuleMatcher::add(const Rules* rules, MatchedRule& matched, NodeId node, NodeId head, const std::string& path) {
  if (rules == nullptr) return;
  if (NodeId assignment = assignment_of(node); assignment != kNoNode)
    matched.assigned = span_of(syntax_.child(assignment, Field::kLeft));
  bool is_head_judged = false;
  for (const DeclaredRule* rule : *rules) {
    if (matched.is_decorator && !rule->match.arguments.empty()) continue;
    bool is_own = rule->match.is_foreign && modules_ != nullptr && !path.empty() && modules_->resolve(file_, path);
    if (is_own) continue;
    if (!fits_arguments(rule->match, matched) || !fits_place(rule->match, node)) continue;
    MatchedRule own = matched;
    own.rule = rule;
    if (head != kNoNode && !is_head_judged) {
      judge_head(head, own);
      matched.is_sure = own.is_sure;
      matched.is_guarded = own.is_guarded;
      matched.head_import = own.head_import;
      is_head_judged = true;
    }
    std::string needed = rule->action.needs;
    if (needed.empty()) needed = rule->action.rename.substr(0, rule->action.rename.find('.'));
    // The plug-in's import is put behind the first import of torch.
    if (needed == "{plugin}") {
      own.has_needed = sites_.has_top_level_torch;
    } else if (!needed.empty()) {
      own.has_needed = binds(node, needed);
    }
    waiting_.push_back(std::move(own));
  }
}

void RuleMatcher::judge_head(NodeId head, MatchedRule& matched) {
  while (syntax_.kind(head) == Kind::kAttribute) head = syntax_.child(head, Field::kObject);
  std::span<const Binding> bindings = scopes_.find(head, syntax_.node(head).symbol);
  auto is_import = [](const Binding& binding) { return binding.kind == Binding::Kind::kImport; };
  matched.is_sure = std::count_if(bindings.begin(), bindings.end(), is_import) == 1 && bindings.size() == 1;
  for (const Binding& binding : bindings) {
    if (!is_import(binding)) continue;
    NodeId statement = binding.node;
    while (statement != kNoNode && syntax_.kind(statement) != Kind::kImport && syntax_.kind(statement) != Kind::kImportFrom)
      statement = syntax_.node(statement).parent;
    if (statement == kNoNode) continue;
    NodeId block = syntax_.node(statement).parent;
    bool is_guarded = syntax_.kind(block) == Kind::kBlock && syntax_.kind(syntax_.node(block).parent) == Kind::kStatement;
    matched.is_guarded = matched.is_guarded || is_guarded;
    if (is_guarded) matched.is_sure = false;
    const std::string& module = scopes_.module(binding);
    if (!matched.is_sure || module.substr(0, module.find('.')) == "torch") continue;
    auto [known, is_new] = head_imports_.try_emplace(binding.node, static_cast<int>(sites_.head_imports.size()));
    matched.head_import = known->second;
    if (!is_new) continue;
    HeadImport import;
    import.name = std::string(syntax_.name(head));
    import.statement = span_of(statement);
    NodeId from = syntax_.child(statement, Field::kModuleName);
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      if (part == from) continue;
      bool is_this = syntax_.node(binding.node).begin >= syntax_.node(part).begin &&
                     syntax_.node(binding.node).end <= syntax_.node(part).end;
      if (is_this) import.item = import.items.size();
      import.items.push_back(span_of(part));
    }
    std::size_t line = import.statement.first == 0 ? 0 : source_.rfind('\n', import.statement.first - 1) + 1;
    std::size_t end = std::min(source_.find('\n', import.statement.second), source_.size() - 1) + 1;
    std::string_view before = source_.substr(line, import.statement.first - line);
    std::string_view behind = source_.substr(import.statement.second, end - import.statement.second);
    bool is_alone = before.find_first_not_of(" \t") == std::string_view::npos &&
                    behind.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (is_alone && block == 0) import.lines = {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(end)};
    for (NodeId id = 0; id < syntax_.nodes().size(); ++id) {
      bool is_outside = syntax_.node(id).end <= import.statement.first || syntax_.node(id).begin >= import.statement.second;
      bool is_use = syntax_.kind(id) == Kind::kIdentifier && syntax_.node(id).symbol == syntax_.node(head).symbol;
      if (is_use && is_outside) ++import.use_count;
    }
    sites_.head_imports.push_back(std::move(import));
  }
}

bool RuleMatcher::fits_arguments(const RuleMatch& pattern, const MatchedRule& matched) const {
  for (const ArgumentTest& test : pattern.arguments) {
    if (!fits_test(test, matched)) return false;
  }
  if (!pattern.has_only_these) return true;
  return std::all_of(matched.arguments.begin(), matched.arguments.end(), [&](const MatchedRule::Argument& argument) {
    return !argument.is_unpacked &&
           std::any_of(pattern.arguments.begin(), pattern.arguments.end(), [&](const ArgumentTest& test) {
             return argument.keyword.empty() ? test.position == argument.position : test.keyword == argument.keyword;
           });
  });
}

bool RuleMatcher::fits_test(const ArgumentTest& test, const MatchedRule& matched) const {
  using Is = ArgumentTest::Is;
  if (test.is == Is::kAnything && test.equals.empty()) return true;
  const MatchedRule::Argument* found = nullptr;
  bool may_hide = false;
  for (const MatchedRule::Argument& argument : matched.arguments) {
    may_hide = may_hide || argument.is_unpacked;
    bool is_it =
        argument.keyword.empty() ? test.position == argument.position && !argument.is_unpacked : argument.keyword == test.keyword;
    if (is_it) found = &argument;
  }
  if (test.is == Is::kAbsent) return found == nullptr && !may_hide;
  if (found == nullptr) return false;
  std::string_view text = text_at(found->value);
  auto is_text = [&] {
    std::size_t quote = text.find_first_of("'\"");
    return quote != std::string_view::npos && quote <= 2 && text.size() > quote + 1 && text.back() == text[quote];
  };
  switch (test.is) {
    case Is::kAnything:
    case Is::kPresent:
    case Is::kAbsent:
      break;
    case Is::kText: {
      if (!is_text()) return false;
      std::size_t quote = text.find_first_of("'\"");
      std::size_t quotes = text.substr(quote, 3) == std::string(3, text[quote]) && text.size() >= quote + 6 ? 3 : 1;
      std::string_view content = text.substr(quote + quotes, text.size() - quote - 2 * quotes);
      bool fits = test.text.empty() || std::any_of(test.text.begin(), test.text.end(),
                                                   [&](const std::string& glob) { return fits_glob(glob, content); });
      if (!fits) return false;
      break;
    }
    case Is::kNumber:
      if (!is_number(text)) return false;
      break;
    case Is::kTrue:
      if (text != "True") return false;
      break;
    case Is::kFalse:
      if (text != "False") return false;
      break;
    case Is::kNone:
      if (text != "None") return false;
      break;
  }
  std::string plain = without_blanks(text);
  return test.equals.empty() || std::any_of(test.equals.begin(), test.equals.end(),
                                            [&](const std::string& wanted) { return without_blanks(wanted) == plain; });
}

bool RuleMatcher::fits_place(const RuleMatch& pattern, NodeId node) const {
  if (!pattern.inside.empty() && !is_inside(pattern.inside, node)) return false;
  if (!pattern.outside.empty() && is_inside(pattern.outside, node)) return false;
  if (pattern.is_in_main_guard && is_in_main_guard(node, 0) != *pattern.is_in_main_guard) return false;
  if (pattern.is_at_module_level && is_at_module_level(node) != *pattern.is_at_module_level) return false;
  if (pattern.is_in_loop && is_in_loop(node) != *pattern.is_in_loop) return false;
  return !pattern.is_compared || is_compared(node) == *pattern.is_compared;
}

bool RuleMatcher::is_inside(const std::vector<std::string>& calls, NodeId node) const {
  for (NodeId parent = syntax_.node(node).parent; parent != kNoNode; node = parent, parent = syntax_.node(parent).parent) {
    Kind kind = syntax_.kind(parent);
    bool is_passed = kind == Kind::kParenthesized || kind == Kind::kArgumentList || kind == Kind::kKeywordArgument ||
                     kind == Kind::kTuple || (kind == Kind::kSubscript && syntax_.node(node).field == Field::kValue) ||
                     kind == Kind::kAttribute || (kind == Kind::kCall && syntax_.node(node).field == Field::kFunction);
    if (is_passed) continue;
    if (kind != Kind::kCall) return false;
    NodeId function = syntax_.child(parent, Field::kFunction);
    std::string path = scopes_.dotted_path(function);
    return std::any_of(calls.begin(), calls.end(), [&](const std::string& wanted) {
      if (wanted[0] == '.') return syntax_.kind(function) == Kind::kAttribute && syntax_.name(function) == wanted.substr(1);
      // Names that nothing imports are built in: isinstance.
      return path == wanted || (path.empty() && syntax_.kind(function) == Kind::kIdentifier && syntax_.name(function) == wanted &&
                                scopes_.find(function, syntax_.node(function).symbol).empty());
    });
  }
  return false;
}

bool RuleMatcher::is_in_main_guard(NodeId node, int depth) const {
  NodeId function = kNoNode;
  for (NodeId parent = syntax_.node(node).parent; parent != kNoNode; parent = syntax_.node(parent).parent) {
    if (syntax_.kind(parent) == Kind::kFunction) function = parent;
    if (syntax_.kind(parent) == Kind::kStatement) {
      NodeId test = syntax_.child(parent, Kind::kComparison);
      std::string_view text = test == kNoNode ? std::string_view() : syntax_.text(test);
      if (text.find("__name__") != std::string_view::npos && text.find("__main__") != std::string_view::npos) return true;
    }
  }
  if (function == kNoNode || depth >= kCallersDepthMax) return false;
  // def main(): ... called from under the guard and nowhere else in the file.
  NodeId name = syntax_.child(function, Field::kName);
  if (name == kNoNode) return false;
  std::span<const NodeId> calls = scopes_.calls_of(syntax_.node(name).symbol);
  return !calls.empty() &&
         std::all_of(calls.begin(), calls.end(), [&](NodeId call) { return is_in_main_guard(call, depth + 1); });
}

bool RuleMatcher::is_at_module_level(NodeId node) const {
  for (NodeId parent = syntax_.node(node).parent; parent != kNoNode; parent = syntax_.node(parent).parent) {
    Kind kind = syntax_.kind(parent);
    if (kind == Kind::kFunction || kind == Kind::kLambda) return false;
    if (kind == Kind::kStatement && is_in_main_guard(node, kCallersDepthMax)) return false;
  }
  return true;
}

bool RuleMatcher::is_in_loop(NodeId node) const {
  for (NodeId parent = syntax_.node(node).parent; parent != kNoNode; parent = syntax_.node(parent).parent) {
    Kind kind = syntax_.kind(parent);
    if (kind == Kind::kFunction || kind == Kind::kLambda) return false;
    if (kind == Kind::kComprehension || kind == Kind::kGenerator) return true;
    std::string_view text = kind == Kind::kStatement ? syntax_.text(parent) : std::string_view();
    if (text.substr(0, 4) == "for " || text.substr(0, 6) == "while " || text.substr(0, 6) == "async ") return true;
  }
  return false;
}

bool RuleMatcher::is_compared(NodeId node) const {
  for (NodeId parent = syntax_.node(node).parent; parent != kNoNode; node = parent, parent = syntax_.node(parent).parent) {
    Kind kind = syntax_.kind(parent);
    if (kind == Kind::kComparison || kind == Kind::kBinary) return true;
    if (kind == Kind::kAssignment) {
      NodeId left = syntax_.child(parent, Field::kLeft);
      return left != kNoNode && syntax_.node(node).field == Field::kRight &&
             syntax_.text(left).find(',') != std::string_view::npos;
    }
    bool is_passed = kind == Kind::kParenthesized || kind == Kind::kSubscript || kind == Kind::kTuple || kind == Kind::kStar;
    if (!is_passed) return false;
    if (kind == Kind::kSubscript) return true;  // a part of it
  }
  return false;
}

bool RuleMatcher::fits_file(const RuleMatch& pattern, std::uint32_t begin) const {
  auto is_used = [&](const std::string& path) { return used_.count(path) > 0; };
  auto came_before = [&](const std::string& path) {
    auto found = used_.find(path);
    return found != used_.end() && found->second.second < begin;
  };
  if (!pattern.file_has.empty() && std::none_of(pattern.file_has.begin(), pattern.file_has.end(), is_used)) return false;
  if (std::any_of(pattern.file_lacks.begin(), pattern.file_lacks.end(), is_used)) return false;
  return pattern.comes_after.empty() || std::any_of(pattern.comes_after.begin(), pattern.comes_after.end(), came_before);
}

void RuleMatcher::finish() {
  for (MatchedRule& matched : waiting_) {
    if (!fits_file(matched.rule->match, matched.whole.first)) continue;
    Site& site = sites_.sites.emplace_back();
    site.kind = SiteKind::kRule;
    site.span = matched.whole;
    site.rule = std::make_shared<const MatchedRule>(std::move(matched));
  }
  waiting_.clear();
}

}  // namespace starbridge::port::python
