// RuleRewriter: carries out the declared rules that fit a file, for one target, among the edits that are there already. Where an
// edit would not be safe, or would meet another, the rule finds instead and gives its text ready. One object per file and target.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "port/python/rewrite.h"

namespace starbridge::port::python {

class RuleRewriter {
 public:
  RuleRewriter(const RewriteInput& input, RewriteOutput& output) : in_(input), out_(output) {}

  // True when an edit names the plug-in, so that it must be imported.
  bool run();

 private:
  void carry_out(const MatchedRule& matched);
  std::optional<std::vector<Edit>> edits_of(const MatchedRule& matched) const;
  bool edit_arguments(const MatchedRule& matched, std::vector<Edit>& edits) const;
  // Only what stands between the parts that stay is written, so that those keep their own edits.
  std::optional<std::vector<Edit>> replace_around(const MatchedRule& matched) const;
  bool merge(std::vector<Edit> edits);
  void find(const MatchedRule& matched, bool is_in_place_of_an_edit);
  // Findings of the rules it stands for, at the same place.
  void drop_lesser(const MatchedRule& matched);
  void remove_imports();
  // The value of a hole as it will read once ported; false: there is none.
  bool value_of(const MatchedRule& matched, const std::string& hole, std::string& value) const;
  std::optional<Span> span_of_hole(const MatchedRule& matched, const std::string& hole) const;
  std::string ported_text(Span span) const;
  std::string filled(const MatchedRule& matched, const std::string& text) const;
  std::string_view source() const { return in_.file.bytes; }
  bool has_comment(std::size_t begin, std::size_t end) const;

  const RewriteInput& in_;
  RewriteOutput& out_;
  std::vector<Edit> own_;                   // of rules, as merged
  std::set<const DeclaredRule*> said_;      // once per file
  std::vector<std::size_t> uses_replaced_;  // by head import
  bool names_plugin_ = false;
};

}  // namespace starbridge::port::python
