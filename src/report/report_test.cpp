#include "report/report.h"

#include <gtest/gtest.h>

#include "report/baseline.h"

namespace starbridge::report {
namespace {

port::ChipReport chip_with(std::size_t edits, const std::vector<std::string>& rules) {
  port::ChipReport chip;
  chip.edit_count = edits;
  for (const std::string& rule : rules) chip.findings.push_back({rule, port::Severity::kWork, {"a.py", 1, 1, ""}, {}, {}, ""});
  return chip;
}

TEST(Score, FollowsItsFormula) {
  EXPECT_EQ(score_of(chip_with(0, {}), 0).score, 100);
  EXPECT_EQ(score_of(chip_with(7, {}), 0).score, 100);
  // 7 / (7 + 3 + 10), rounded down
  EXPECT_EQ(score_of(chip_with(7, {"cuda-tool", "api-unsupported"}), 0).score, 35);
  // A kernel counts by its lines, not as a finding.
  EXPECT_EQ(score_of(chip_with(10, {"cuda-kernel"}), 30).score, 25);
  // Only what must be done counts.
  port::ChipReport noted = chip_with(1, {"api-limited"});
  noted.findings[0].severity = port::Severity::kInfo;
  EXPECT_EQ(score_of(noted, 0).score, 100);
}

TEST(ChangedLines, AreReadFromADiffWithoutContext) {
  ChangedLines changed = parse_diff(
      "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n+++ b/not a header\n+b\n@@ -9,2 +10,0 @@\n-c\n-d\n"
      "diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      "diff --git \"a/n\\303\\251w\" \"b/n\\303\\251w\"\n--- \"a/n\\303\\251w\"\n+++ \"b/n\\303\\251w\"\n@@ -3 +3 @@\n-x\n+y\n");
  EXPECT_TRUE(changed.contains("x.py", 1));
  EXPECT_TRUE(changed.contains("x.py", 2));
  EXPECT_FALSE(changed.contains("x.py", 3));
  EXPECT_FALSE(changed.contains("x.py", 10));
  EXPECT_TRUE(changed.contains("n\303\251w", 3));
  EXPECT_FALSE(changed.contains("gone", 1));
}

}  // namespace
}  // namespace starbridge::report
