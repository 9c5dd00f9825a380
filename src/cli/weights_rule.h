// The options that say when two tensors agree, shared by `weights check` and `weights dump-compare`. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/frame.h"
#include "weights/compare.h"

namespace starbridge::cli {

struct RuleWords {
  std::vector<std::string> tolerances;
  std::uint64_t ulp_max = 0;
  double cosine_min = 0;
  std::string order_file;
  weights::CompareOptions compare;  // `rule` holds the defaults of the command
};

// `words` must live as long as the command.
void add_rule_options(Frame& frame, CLI::App* command, RuleWords& words);
// What the words mean, over the defaults. Errors: base.usage, those of reading the file of --order.
base::Result<weights::CompareOptions> read_rule(const RuleWords& words, const CLI::App& command);

}  // namespace starbridge::cli
