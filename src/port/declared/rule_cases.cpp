#include "port/declared/rule_cases.h"

#include <algorithm>

#include "port/python/syntax.h"

namespace starbridge::port {
namespace {

using base::text;

// The chip whose names examples of a family are written in, where a case names none.
std::string_view chip_of_family(std::string_view family) {
  if (family == "mlu") return "mlu370-x8";
  if (family == "musa") return "moorethreads-s4000";
  return family == "cuda" ? "nvidia-a100-80g" : "ascend-910b3";
}

std::string chip_of(const DeclaredRule& rule, const RuleCase& example) {
  if (!example.chip.empty()) return example.chip;
  return rule.scope.chips.empty() ? std::string(chip_of_family(rule.scope.families[0])) : rule.scope.chips[0];
}

struct Applied {
  std::string text;
  bool has_edit = false;
  std::vector<const Finding*> findings;
  FileReport report;
};

Applied apply(const DeclaredRule& rule, const RuleCase& example, const std::string& source, const Context& context) {
  Applied applied;
  applied.report = analyze_file({example.file, source}, classify(example.file, source), context);
  const TargetResult& result = applied.report.results[0];
  std::vector<Edit> edits;
  for (const Edit& edit : result.edits) {
    applied.has_edit = applied.has_edit || edit.rule == rule.id;
    if (edit.rule == rule.id || edit.rule == "unused-import") edits.push_back(edit);
  }
  if (!applied.has_edit) edits.clear();
  applied.text = apply_edits(source, edits);
  for (const Finding& finding : result.findings) {
    if (finding.rule == rule.id) applied.findings.push_back(&finding);
  }
  return applied;
}

CaseOutcome judge(const DeclaredRule& rule, const RuleCase& example, const Context& context) {
  CaseOutcome outcome;
  outcome.example = &example;
  Applied applied = apply(rule, example, example.source, context);
  auto fail = [&](base::Text why) {
    outcome.why = std::move(why);
    return outcome;
  };
  if (example.is_no_match) {
    if (!applied.has_edit && applied.findings.empty())
      outcome.passes = true;
    else if (applied.has_edit)
      outcome.actual = applied.text;
    return outcome.passes ? outcome : fail(text("the rule matches and should not", "规则匹配了不该匹配的内容"));
  }
  if (example.expect && applied.text != *example.expect) {
    outcome.expected = *example.expect;
    outcome.actual = applied.text;
    return fail(text("the text after the edits is another", "修改后的文本不同"));
  }
  if (!example.expect && applied.has_edit) {
    outcome.actual = applied.text;
    return fail(text("the rule edits, and the case expects findings only", "规则进行了修改，而用例只期待结果"));
  }
  auto count = static_cast<int>(applied.findings.size());
  if (example.finding_count && count != *example.finding_count)
    return fail(text("{} findings, not {}", "结果有 {} 条，应为 {}", count, *example.finding_count));
  if (example.suggests) {
    std::string wanted(base::trim(*example.suggests));
    bool is_there = std::any_of(applied.findings.begin(), applied.findings.end(),
                                [&](const Finding* finding) { return finding->suggestion.find(wanted) != std::string::npos; });
    if (!is_there) {
      outcome.expected = wanted;
      for (const Finding* finding : applied.findings) outcome.actual += finding->suggestion + "\n";
      return fail(text("no finding suggests this", "没有结果给出该建议"));
    }
  }
  bool is_python = applied.report.kind == FileKind::kPython;
  if (is_python && python::Syntax::parse(applied.text).error_at() != std::string_view::npos) {
    outcome.actual = applied.text;
    return fail(text("the text after the edits is no Python", "修改后的文本不是合法的 Python"));
  }
  if (apply(rule, example, applied.text, context).has_edit) {
    outcome.actual = applied.text;
    return fail(text("a second run edits again", "第二次运行仍有修改"));
  }
  outcome.passes = true;
  return outcome;
}

}  // namespace

base::Result<std::vector<CaseOutcome>> run_cases(const DeclaredRule& rule, const Tables& tables,
                                                 const std::shared_ptr<const RuleSet>& rules) {
  std::vector<CaseOutcome> outcomes;
  for (const RuleCase& example : rule.cases) {
    base::Result<const catalog::Chip*> chip = tables.catalog.find_chip(chip_of(rule, example));
    if (!chip.ok()) return base::Error(std::move(chip).error()).at(example.place);
    Context context = make_context(tables, {make_target(**chip, find_style(example.style).value())});
    context.rules = rules;
    context.torch_version = example.torch;
    outcomes.push_back(judge(rule, example, context));
  }
  return outcomes;
}

base::Text missing_cases(const DeclaredRule& rule) {
  auto is_no_match = [](const RuleCase& example) { return example.is_no_match; };
  auto count = static_cast<std::size_t>(std::count_if(rule.cases.begin(), rule.cases.end(), is_no_match));
  if (count == rule.cases.size()) return text("no case that matches", "缺少匹配的用例");
  if (count == 0) return text("no case that does not match", "缺少不匹配的用例");
  return {};
}

}  // namespace starbridge::port
