#include "port/python/rule_rewriter.h"

#include <algorithm>
#include <cctype>

#include "port/declared/template.h"

namespace starbridge::port::python {
namespace {

bool is_within(const Edit& inner, std::size_t begin, std::size_t end) { return inner.begin >= begin && inner.end <= end; }

// Whether two edits ask for the same bytes, or for two insertions at one place.
bool meets(const Edit& left, const Edit& right) {
  if (left == right) return false;
  if (left.begin == left.end && right.begin == right.end) return left.begin == right.begin;
  if (left.begin == left.end) return left.begin > right.begin && left.begin < right.end;
  if (right.begin == right.end) return right.begin > left.begin && right.begin < left.end;
  return left.begin < right.end && right.begin < left.end;
}

// Whether the text uses the name by itself or before a dot, not behind one.
bool begins_a_name(std::string_view text, std::string_view name) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::size_t end = at + name.size();
    bool ends = end == text.size() || text[end] == '.' || !is_part(text[end]);
    if (ends && (at == 0 || !is_part(text[at - 1]))) return true;
  }
  return false;
}

}  // namespace

bool RuleRewriter::run() {
  uses_replaced_.assign(in_.sites.head_imports.size(), 0);
  for (const Site& site : in_.sites.sites) {
    if (site.kind == SiteKind::kRule && !site.is_settled &&
        site.rule->rule->holds_for(in_.target, in_.file.path, in_.torch_version)) {
      carry_out(*site.rule);
    }
  }
  remove_imports();
  return names_plugin_;
}

void RuleRewriter::carry_out(const MatchedRule& matched) {
  const DeclaredRule& rule = *matched.rule;
  if (rule.match.is_once_per_file && !said_.insert(&rule).second) return;
  // What an earlier rule wrote over is gone.
  for (const Edit& edit : own_) {
    if (edit.begin < edit.end && edit.begin <= matched.whole.first && edit.end >= matched.whole.second) return;
  }
  if (rule.action.is_empty()) return find(matched, false);
  std::optional<std::vector<Edit>> edits = rule.edits_in(in_.target.style) ? edits_of(matched) : std::nullopt;
  bool is_written = edits && merge(std::move(*edits));
  if (!is_written) return find(matched, true);
  bool drops_head = !rule.action.rename.empty() || !rule.action.replacement.empty();
  if (drops_head && matched.head_import >= 0) {
    auto import = static_cast<std::size_t>(matched.head_import);
    const std::string& name = in_.sites.head_imports[import].name;  // ourlib.f written as ourlib.g still needs it
    bool writes_it = begins_a_name(rule.action.rename, name) || begins_a_name(rule.action.replacement, name);
    if (!writes_it) ++uses_replaced_[import];
  }
  drop_lesser(matched);
}

void RuleRewriter::drop_lesser(const MatchedRule& matched) {
  const std::vector<std::string>& rules = matched.rule->instead_of;
  LineColumn at = in_.lines.at(matched.whole.first);
  auto says_less = [&](const Finding& finding) {
    return finding.place.line == at.line && finding.place.column == at.column &&
           std::find(rules.begin(), rules.end(), finding.rule) != rules.end();
  };
  out_.findings.erase(std::remove_if(out_.findings.begin(), out_.findings.end(), says_less), out_.findings.end());
}

std::optional<std::vector<Edit>> RuleRewriter::edits_of(const MatchedRule& matched) const {
  const RuleAction& action = matched.rule->action;
  if (!matched.has_needed) return std::nullopt;
  bool drops_head = !action.rename.empty() || !action.replacement.empty();
  if (drops_head && !matched.is_sure) return std::nullopt;
  if (matched.is_decorator && (!action.arguments.empty() || !action.replacement.empty())) return std::nullopt;
  std::vector<Edit> edits;
  const std::string& id = matched.rule->id;
  if (!action.replacement.empty()) {
    std::optional<std::vector<Edit>> around = replace_around(matched);
    if (!around) return std::nullopt;
    edits = std::move(*around);
  }
  if (!action.rename.empty()) {
    if (has_comment(matched.function.first, matched.function.second)) return std::nullopt;
    edits.push_back({matched.function.first, matched.function.second, filled(matched, action.rename), id});
  }
  if (!edit_arguments(matched, edits)) return std::nullopt;
  if (!action.before.empty()) edits.push_back({matched.whole.first, matched.whole.first, filled(matched, action.before), id});
  if (!action.after.empty()) edits.push_back({matched.whole.second, matched.whole.second, filled(matched, action.after), id});
  edits.erase(
      std::remove_if(edits.begin(), edits.end(),
                     [&](const Edit& edit) { return source().substr(edit.begin, edit.end - edit.begin) == edit.replacement; }),
      edits.end());
  return edits;
}

bool RuleRewriter::edit_arguments(const MatchedRule& matched, std::vector<Edit>& edits) const {
  const std::vector<MatchedRule::Argument>& arguments = matched.arguments;
  const std::string& id = matched.rule->id;
  std::string added;
  std::vector<bool> is_removed(arguments.size(), false);
  for (const ArgumentEdit& change : matched.rule->action.arguments) {
    std::size_t index = 0;
    int position = -1;
    for (const ArgumentTest& test : matched.rule->match.arguments) {
      if (test.keyword == change.keyword) position = test.position;
    }
    while (index < arguments.size() && arguments[index].keyword != change.keyword &&
           (!arguments[index].keyword.empty() || position < 0 || arguments[index].position != position))
      ++index;
    bool is_there = index < arguments.size();
    switch (change.kind) {
      case ArgumentEdit::Kind::kAdd:
        if (!is_there) added += (added.empty() ? "" : ", ") + change.keyword + "=" + filled(matched, change.value);
        break;
      case ArgumentEdit::Kind::kRemove:
        if (!is_there) break;
        // Those behind it would move up.
        if (arguments[index].keyword.empty() && index + 1 < arguments.size() && arguments[index + 1].keyword.empty())
          return false;
        is_removed[index] = true;
        break;
      case ArgumentEdit::Kind::kRename:
        if (is_there && !arguments[index].keyword.empty()) {
          std::size_t begin = arguments[index].span.first;
          edits.push_back({begin, begin + change.keyword.size(), filled(matched, change.value), id});
        }
        break;
      case ArgumentEdit::Kind::kSet:
        if (is_there)
          edits.push_back({arguments[index].value.first, arguments[index].value.second, filled(matched, change.value), id});
        break;
    }
  }
  // A run of removed arguments goes with the comma before it, at the front with the one behind.
  for (std::size_t first = 0; first < arguments.size(); ++first) {
    if (!is_removed[first]) continue;
    std::size_t last = first;
    while (last + 1 < arguments.size() && is_removed[last + 1]) ++last;
    bool is_front = first == 0;
    bool is_back = last + 1 == arguments.size();
    std::size_t begin = is_front ? arguments[first].span.first : arguments[first - 1].span.second;
    std::size_t end = is_front && !is_back ? arguments[last + 1].span.first : arguments[last].span.second;
    if (is_front && is_back) {
      begin = matched.brackets.first + 1;
      end = matched.brackets.second - 1;
    }
    if (has_comment(begin, end)) return false;
    edits.push_back({begin, end, is_front && is_back ? std::exchange(added, "") : "", id});
    first = last;
  }
  if (added.empty()) return true;
  bool is_lone_generator = std::any_of(arguments.begin(), arguments.end(), [](const auto& each) { return each.is_generator; });
  if (is_lone_generator || matched.brackets.second == 0) return false;
  std::size_t kept = arguments.size();
  while (kept > 0 && is_removed[kept - 1]) --kept;
  std::size_t at = kept == 0 ? matched.brackets.first + 1 : arguments[kept - 1].span.second;
  if (kept > 0) added.insert(0, ", ");
  // The text goes in place of a removed run that ends here.
  for (Edit& edit : edits) {
    if (edit.begin == at && edit.replacement.empty()) {
      edit.replacement = added;
      return true;
    }
  }
  edits.push_back({at, at, added, id});
  return true;
}

std::optional<Span> RuleRewriter::span_of_hole(const MatchedRule& matched, const std::string& hole) const {
  if (hole == "call") return matched.whole;
  if (hole == "function") return matched.function;
  if (hole == "assigned" && matched.assigned.second > 0) return matched.assigned;
  if (hole == "arguments" && matched.brackets.second > 0) return Span{matched.brackets.first + 1, matched.brackets.second - 1};
  for (const ArgumentTest& test : matched.rule->match.arguments) {
    if (test.keyword != hole) continue;
    for (const MatchedRule::Argument& argument : matched.arguments) {
      bool is_it =
          argument.keyword.empty() ? argument.position == test.position && !argument.is_unpacked : argument.keyword == hole;
      if (is_it) return argument.value;
    }
  }
  return std::nullopt;
}

bool RuleRewriter::value_of(const MatchedRule& matched, const std::string& hole, std::string& value) const {
  if (word_of_target(in_.target, hole, value)) return true;
  std::optional<Span> span = span_of_hole(matched, hole);
  if (span) value = ported_text(*span);
  return span.has_value();
}

std::string RuleRewriter::filled(const MatchedRule& matched, const std::string& text) const {
  return fill(text, [&](const std::string& hole, std::string& value) { return value_of(matched, hole, value); });
}

std::optional<std::vector<Edit>> RuleRewriter::replace_around(const MatchedRule& matched) const {
  std::vector<Edit> edits;
  std::string between;
  std::size_t position = matched.whole.first;
  auto write = [&](std::size_t end) {
    if (source().substr(position, end - position) != between)
      edits.push_back({position, end, std::exchange(between, ""), matched.rule->id});
    between.clear();
  };
  for (const TemplatePart& part : split_template(matched.rule->action.replacement)) {
    std::string value;
    if (!part.is_hole) {
      between += part.text;
      continue;
    }
    if (word_of_target(in_.target, part.text, value)) {
      between += value;
      continue;
    }
    std::optional<Span> span = span_of_hole(matched, part.text);
    if (!span) {
      if (!part.has_fallback) return std::nullopt;
      between += part.fallback;
      continue;
    }
    // In another order than written, or twice: what is inside could not keep its own edits.
    if (span->first < position) return std::nullopt;
    if (has_comment(position, span->first)) return std::nullopt;
    write(span->first);
    position = span->second;
  }
  if (has_comment(position, matched.whole.second)) return std::nullopt;
  write(matched.whole.second);
  return edits;
}

// '#' in a text counts as one: then nothing is removed, which is safe.
bool RuleRewriter::has_comment(std::size_t begin, std::size_t end) const {
  return source().substr(begin, end - begin).find('#') != std::string_view::npos;
}

bool RuleRewriter::merge(std::vector<Edit> edits) {
  for (const Edit& edit : edits) {
    for (const Edit& other : own_) {
      if (meets(edit, other)) return false;
    }
    for (const Edit& other : out_.edits) {
      if (meets(edit, other) && !(edit.begin < edit.end && is_within(other, edit.begin, edit.end))) return false;
    }
  }
  for (Edit& edit : edits) {
    if (edit.begin < edit.end) {
      out_.edits.erase(std::remove_if(out_.edits.begin(), out_.edits.end(),
                                      [&](const Edit& other) {
                                        bool is_rules = std::find(own_.begin(), own_.end(), other) != own_.end();
                                        return !is_rules && other.begin < other.end && is_within(other, edit.begin, edit.end);
                                      }),
                       out_.edits.end());
    }
    std::string_view plugin = in_.target.family->plugin;
    if (!plugin.empty() && edit.replacement.find(plugin) != std::string::npos) names_plugin_ = true;
    own_.push_back(edit);
    out_.edits.push_back(std::move(edit));
  }
  return true;
}

void RuleRewriter::find(const MatchedRule& matched, bool is_in_place_of_an_edit) {
  const DeclaredRule& rule = *matched.rule;
  LineColumn at = in_.lines.at(matched.whole.first);
  drop_lesser(matched);
  Finding finding;
  finding.rule = rule.id;
  // Code that asks whether the name is there runs without it.
  finding.severity = matched.is_guarded && rule.severity != Severity::kInfo ? Severity::kInfo : rule.severity;
  finding.place = {in_.file.path, at.line, at.column, ""};
  finding.message = {filled(matched, rule.message.en), filled(matched, rule.message.zh)};
  finding.advice = {filled(matched, rule.advice.en), filled(matched, rule.advice.zh)};
  finding.source = rule.source;
  finding.suggestion = filled(matched, rule.suggestion);
  if (finding.suggestion.empty() && is_in_place_of_an_edit && !rule.action.replacement.empty())
    finding.suggestion = filled(matched, rule.action.replacement);
  while (!finding.suggestion.empty() && finding.suggestion.back() == '\n') finding.suggestion.pop_back();
  out_.findings.push_back(std::move(finding));
}

std::string RuleRewriter::ported_text(Span span) const {
  std::vector<Edit> inside;
  for (const Edit& edit : out_.edits) {
    bool is_insertion_at_the_end = edit.begin == edit.end && edit.begin == span.second;
    if (is_within(edit, span.first, span.second) && !is_insertion_at_the_end)
      inside.push_back({edit.begin - span.first, edit.end - span.first, edit.replacement, edit.rule});
  }
  std::string text(source().substr(span.first, span.second - span.first));
  base::Result<std::vector<Edit>> edits = normalize_edits(std::move(inside), text.size());
  return edits.ok() ? apply_edits(text, *edits) : text;
}

// Names that nothing uses any more leave their import: it would fail where the package is not.
void RuleRewriter::remove_imports() {
  if (in_.file.path.size() >= 11 && in_.file.path.compare(in_.file.path.size() - 11, 11, "__init__.py") == 0) return;
  std::map<Span, std::vector<const HeadImport*>> gone;
  for (std::size_t index = 0; index < in_.sites.head_imports.size(); ++index) {
    const HeadImport& import = in_.sites.head_imports[index];
    if (uses_replaced_[index] > 0 && uses_replaced_[index] == import.use_count) gone[import.statement].push_back(&import);
  }
  for (const auto& [statement, imports] : gone) {
    const HeadImport& any = *imports[0];
    if (has_comment(statement.first, statement.second)) continue;
    if (imports.size() == any.items.size()) {
      bool has_remark = any.lines.second > 0 && has_comment(any.lines.first, any.lines.second);
      if (any.lines.second > 0 && !has_remark) {
        static_cast<void>(merge({{any.lines.first, any.lines.second, "", "unused-import"}}));
      } else {
        static_cast<void>(merge({{statement.first, statement.second, "pass", "unused-import"}}));
      }
      continue;
    }
    std::vector<bool> goes(any.items.size(), false);
    for (const HeadImport* import : imports) goes[import->item] = true;
    std::vector<Edit> edits;
    for (std::size_t first = 0; first < goes.size(); ++first) {
      if (!goes[first]) continue;
      std::size_t last = first;
      while (last + 1 < goes.size() && goes[last + 1]) ++last;
      bool is_back = last + 1 == goes.size();
      std::size_t begin = is_back ? any.items[first - 1].second : any.items[first].first;
      std::size_t end = is_back ? any.items[last].second : any.items[last + 1].first;
      edits.push_back({begin, end, "", "unused-import"});
      first = last;
    }
    static_cast<void>(merge(std::move(edits)));
  }
}

}  // namespace starbridge::port::python
