#include "port/suppressions.h"

#include <gtest/gtest.h>

#include "port/rules.h"

namespace starbridge::port {
namespace {

struct Outcome {
  std::vector<int> lines;  // of the findings left
  std::size_t removed;
  std::vector<std::string> remarks;
};

// One finding of rule device-text on each line.
Outcome silence(const std::string& bytes, const std::string& today = "2026-06-01") {
  SourceFile file{"a.py", bytes};
  LineIndex lines(file.bytes);
  std::vector<Finding> findings;
  std::vector<Edit> edits;
  for (int line = 1; line <= lines.line_count(); ++line)
    findings.push_back({"device-text", Severity::kWork, {"a.py", line, 1, ""}, {}, {}, ""});
  Outcome outcome{};
  outcome.removed = Suppressions(file, today).apply(lines, edits, findings);
  for (const Finding& finding : findings) {
    if (finding.rule == "device-text")
      outcome.lines.push_back(finding.place.line);
    else
      outcome.remarks.push_back(finding.rule);
  }
  return outcome;
}

TEST(Suppressions, HoldForTheirLineTheNextOrTheFile) {
  EXPECT_EQ(silence("a\nb  # starbridge: ignore\nc").lines, (std::vector<int>{1, 3}));
  EXPECT_EQ(silence("a\n  // starbridge: ignore\nb\nc").lines, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(silence("# starbridge: ignore-file\na\nb").lines, std::vector<int>{});
  EXPECT_EQ(silence("x = 'starbridge: ignore'").lines, std::vector<int>{1});
}

TEST(Suppressions, NameRulesAndEndOnADate) {
  EXPECT_EQ(silence("a # starbridge: ignore[device-text,api-limited]").removed, 1U);
  EXPECT_EQ(silence("a # starbridge: ignore[api-limited]").removed, 0U);
  EXPECT_EQ(silence("a # starbridge: ignore[device-text] until 2026-06-01: soon").removed, 1U);
  Outcome expired = silence("a # starbridge: ignore until 2026-05-31");
  EXPECT_EQ(expired.removed, 0U);
  EXPECT_EQ(expired.remarks, std::vector<std::string>{"suppression-expired"});
}

TEST(Suppressions, ThatCannotBeReadSilenceNothing) {
  for (const char* text :
       {"a # starbridge: ignore[no-such-rule]", "a # starbridge: ignore[device-text", "a # starbridge: ignore until soon"}) {
    Outcome outcome = silence(text);
    EXPECT_EQ(outcome.removed, 0U) << text;
    EXPECT_EQ(outcome.remarks, std::vector<std::string>{"suppression-malformed"}) << text;
  }
}

}  // namespace
}  // namespace starbridge::port
