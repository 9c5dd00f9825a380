#include "report/score.h"

#include "port/rules.h"

namespace starbridge::report {

Score score_of(const port::ChipReport& chip, std::size_t kernel_line_count) {
  Score score;
  score.automatic_count = chip.edit_count;
  score.automatic_points = chip.edit_count * kPointsPerEdit;
  for (const port::Finding& finding : chip.findings) {
    if (finding.severity != port::Severity::kWork) continue;
    const port::Rule* rule = chip.find_rule(finding.rule);
    if (rule != nullptr && rule->effort == port::Effort::kAssisted) {
      ++score.assisted_count;
      score.assisted_points += kPointsPerAssisted;
    } else {
      ++score.manual_count;
      // A kernel's lines are its points.
      if (finding.rule != "cuda-kernel") score.manual_points += kPointsPerManual;
    }
  }
  score.manual_points += kernel_line_count * kPointsPerKernelLine;
  std::size_t total = score.automatic_points + score.assisted_points + score.manual_points;
  score.score = total == 0 ? 100 : static_cast<int>(100 * score.automatic_points / total);
  return score;
}

}  // namespace starbridge::report
