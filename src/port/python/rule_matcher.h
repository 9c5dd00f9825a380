// RuleMatcher: finds where declared rules fit the code of one file. Fed by the walk of sites.cpp; what asks about the whole file
// is judged in finish(). One object per file; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "port/declared/rule_set.h"
#include "port/python/sites.h"

namespace starbridge::port::python {

class RuleMatcher {
 public:
  // `rules` may be null: nothing matches.
  RuleMatcher(const Syntax& syntax, const Scopes& scopes, std::string_view source, const RuleSet* rules, const Modules* modules,
              int file, Sites& sites)
      : syntax_(syntax), scopes_(scopes), source_(source), rules_(rules), modules_(modules), file_(file), sites_(sites) {}

  // `path`: of the function through imports; empty for methods of objects.
  void visit_call(NodeId call, const std::string& path);
  void visit_name(NodeId name, const std::string& path);
  // A whole import statement.
  void visit_import(NodeId statement);
  // A variable that is assigned to: the literal that names it.
  void visit_environment(NodeId string, std::string_view variable);
  void visit_device_text(NodeId string, std::string_view text);
  // Adds the sites of what fits.
  void finish();

 private:
  using Rules = RuleSet::Rules;
  bool fits_arguments(const RuleMatch& pattern, const MatchedRule& matched) const;
  bool fits_test(const ArgumentTest& test, const MatchedRule& matched) const;
  bool fits_place(const RuleMatch& pattern, NodeId node) const;
  bool is_inside(const std::vector<std::string>& calls, NodeId node) const;
  bool is_in_main_guard(NodeId node, int depth) const;
  bool is_at_module_level(NodeId node) const;
  bool is_in_loop(NodeId node) const;
  bool is_compared(NodeId node) const;
  bool fits_file(const RuleMatch& pattern, std::uint32_t begin) const;
  void note(const std::string& path, NodeId node);
  void read_arguments(NodeId call, MatchedRule& matched) const;
  // `path`: what it is, where imports say so.
  void add(const Rules* rules, MatchedRule& matched, NodeId node, NodeId head, const std::string& path = "");
  void judge_head(NodeId head, MatchedRule& matched);
  int import_of(NodeId head, bool* is_guarded);
  Span span_of(NodeId id) const { return {syntax_.node(id).begin, syntax_.node(id).end}; }
  std::string_view text_at(Span span) const { return source_.substr(span.first, span.second - span.first); }
  // The assignment whose right side the expression is, or kNoNode.
  NodeId assignment_of(NodeId expression) const;
  bool binds(NodeId node, std::string_view name) const;

  const Syntax& syntax_;
  const Scopes& scopes_;
  std::string_view source_;
  const RuleSet* rules_;
  const Modules* modules_;  // of the project; null: a file by itself
  int file_;
  Sites& sites_;
  std::vector<MatchedRule> waiting_;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>, std::less<>>
      used_;                            // paths rules ask about: first use anywhere, first at the module's level
  std::map<NodeId, int> head_imports_;  // the imported name's node -> index
};

}  // namespace starbridge::port::python
