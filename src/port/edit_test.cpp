#include "port/edit.h"

#include <gtest/gtest.h>

#include <random>

#include "port/diff.h"

namespace starbridge::port {
namespace {

std::vector<Edit> normal(std::vector<Edit> edits, std::size_t size) { return normalize_edits(std::move(edits), size).value(); }

TEST(Edit, AppliesInOrderAndReversesToTheByte) {
  std::string original = "cuda:0\r\ncuda\n";
  std::vector<Edit> edits = normal({{8, 12, "npu", "b"}, {0, 4, "npu", "a"}, {12, 12, "!", "c"}}, original.size());
  std::string ported = apply_edits(original, edits);
  EXPECT_EQ(ported, "npu:0\r\nnpu!\n");
  EXPECT_EQ(apply_edits(ported, reverse_edits(original, edits)), original);
}

TEST(Edit, OverlapsAndStraysAreRefused) {
  EXPECT_EQ(normalize_edits({{0, 4, "x", "a"}, {3, 5, "y", "b"}}, 10).error().code(), "port.edit_overlap");
  EXPECT_EQ(normalize_edits({{2, 2, "x", "a"}, {2, 2, "y", "b"}}, 10).error().code(), "port.edit_overlap");
  EXPECT_EQ(normalize_edits({{9, 12, "x", "a"}}, 10).error().code(), "port.edit_out_of_range");
  EXPECT_EQ(normal({{1, 2, "x", "a"}, {1, 2, "x", "b"}}, 10).size(), 1U);  // said twice, done once
  EXPECT_TRUE(normal({}, 0).empty());
}

TEST(Edit, RandomEditsOfRandomBytesAreReversible) {
  std::mt19937 random(5);
  for (int round = 0; round < 5000; ++round) {
    std::string original(random() % 60, '\0');
    for (char& byte : original) byte = static_cast<char>(random());
    std::vector<Edit> edits;
    std::size_t at = 0;
    while (at < original.size()) {
      std::size_t begin = at + random() % 8;
      std::size_t end = begin + random() % 5;
      if (end > original.size()) break;
      edits.push_back({begin, end, std::string(random() % 6, 'z'), "r"});
      at = end + 1;
    }
    std::vector<Edit> sorted = normal(edits, original.size());
    std::string ported = apply_edits(original, sorted);
    ASSERT_EQ(apply_edits(ported, normal(reverse_edits(original, sorted), ported.size())), original);
  }
}

TEST(Diff, ShowsContextAndMissingNewlines) {
  std::string original = "a\nb\nc\nd\ne\nf cuda";
  std::vector<Edit> edits = normal({{12, 16, "npu", "r"}}, original.size());
  EXPECT_EQ(unified_diff("x.py", original, edits),
            "--- a/x.py\n+++ b/x.py\n@@ -3,4 +3,4 @@\n c\n d\n e\n-f cuda\n\\ No newline at end of file\n+f npu\n\\ No newline "
            "at end of file\n");
  EXPECT_EQ(unified_diff("x.py", original, {}), "");
}

}  // namespace
}  // namespace starbridge::port
