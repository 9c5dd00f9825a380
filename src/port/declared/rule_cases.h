// Rule cases: the examples beside a rule, run against it: what it edits, that a second run changes nothing, that the result still
// parses, what it leaves alone. Pure; any thread.
#pragma once

#include <vector>

#include "port/analyze.h"

namespace starbridge::port {

struct CaseOutcome {
  const RuleCase* example = nullptr;
  bool passes = false;
  base::Text why;        // when it does not
  std::string expected;  // texts that differ; may be empty
  std::string actual;
};

// `rules`: the set the rule belongs to. Errors: catalog.unknown_chip, at the case.
base::Result<std::vector<CaseOutcome>> run_cases(const DeclaredRule& rule, const Tables& tables,
                                                 const std::shared_ptr<const RuleSet>& rules);

// What a rule lacks to be trusted: a case that matches and one that does not. Empty: nothing.
base::Text missing_cases(const DeclaredRule& rule);

}  // namespace starbridge::port
