#include "port/versions.h"

#include <gtest/gtest.h>

namespace starbridge::port {
namespace {

Version version(std::string_view text) { return parse_version(text).value(); }

TEST(Version, AreOrderedAsPep440Says) {
  const char* ordered[] = {"1.13.1",      "2.1.0.dev3",  "2.1.0a1",      "2.1.0b2", "2.1.0rc1", "2.1", "2.1.0.post1.dev5",
                           "2.1.0.post1", "2.1.0.post2", "2.1.0.post10", "2.1.1",   "2.10.0",   "10"};
  for (std::size_t left = 0; left < std::size(ordered); ++left) {
    for (std::size_t right = 0; right < std::size(ordered); ++right) {
      EXPECT_EQ(version(ordered[left]) < version(ordered[right]), left < right) << ordered[left] << " " << ordered[right];
    }
  }
}

TEST(Version, WritingsOfOneReleaseAreEqual) {
  for (const char* same : {"2.7.0", "2.7", "v2.7", "2.7.0+cu121", " 2.7.0.0 "}) EXPECT_EQ(version(same), version("2.7")) << same;
  EXPECT_EQ(version("8.3.RC1"), version("8.3rc1"));
  EXPECT_EQ(version("8.3.RC1"), version("8.3.rc1"));
}

TEST(Version, OtherWordsAreNone) {
  for (const char* word : {"", "latest", "2.x", "2.", "$VERSION", "2.7.1-910b", "99999999999", "2.7.1 or later"})
    EXPECT_FALSE(parse_version(word).has_value()) << word;
}

struct RangeCase {
  const char* range;
  const char* version;
  bool is_allowed;
};

class Ranges : public testing::TestWithParam<RangeCase> {};

TEST_P(Ranges, AllowAsWritten) {
  std::optional<VersionRange> range = VersionRange::parse(GetParam().range);
  ASSERT_TRUE(range.has_value()) << GetParam().range;
  EXPECT_EQ(range->allows(version(GetParam().version)), GetParam().is_allowed) << GetParam().range << " " << GetParam().version;
}

INSTANTIATE_TEST_SUITE_P(All, Ranges,
                         testing::Values(RangeCase{"", "2.7", true}, RangeCase{"*", "2.7", true},
                                         RangeCase{"==2.7.1", "2.7.1", true}, RangeCase{"==2.7", "2.7.1", false},
                                         RangeCase{"==2.7.*", "2.7.1", true}, RangeCase{"==2.7.*", "2.70.1", false},
                                         RangeCase{"=2.7", "2.7.1", true}, RangeCase{"=2.7.1=py310_0", "2.7.1", true},
                                         RangeCase{"2.7.1", "2.7.1", true}, RangeCase{">=2.1,<2.4", "2.3.1", true},
                                         RangeCase{">=2.1,<2.4", "2.4.0", false}, RangeCase{" >= 2.1 , < 2.4 ", "2.1", true},
                                         RangeCase{"!=2.7.1", "2.7.1", false}, RangeCase{"!=2.7.*", "2.7.3", false},
                                         RangeCase{"~=2.1", "2.9", true}, RangeCase{"~=2.1", "3.0", false},
                                         RangeCase{"~=2.1.2", "2.2", false}, RangeCase{"^2.1", "2.9", true},
                                         RangeCase{"^2.1", "3.0", false}, RangeCase{"^0.21", "0.22", false},
                                         RangeCase{"~2.1", "2.1.5", true}, RangeCase{"~2.1", "2.2", false},
                                         RangeCase{">2.1,!=2.3.0,<=2.4", "2.3.0", false}));

TEST(VersionRange, FormsThatAreNoneAreNotGuessed) {
  for (const char* text : {"2.7 || 2.8", ">=", "latest", "==${TORCH}", "@ file", "~=2", ">=2.1,frog"})
    EXPECT_FALSE(VersionRange::parse(text).has_value()) << text;
}

TEST(VersionRange, TellsTheOneVersionItNames) {
  EXPECT_EQ(VersionRange::parse("==2.7.1")->exact(), version("2.7.1"));
  EXPECT_EQ(VersionRange::parse("=2.7.1")->exact(), version("2.7.1"));
  EXPECT_FALSE(VersionRange::parse("=2.7")->exact().has_value());
  EXPECT_FALSE(VersionRange::parse(">=2.7")->exact().has_value());
  EXPECT_TRUE(VersionRange::parse("")->is_everything());
}

TEST(VersionRange, ServedMinorVersions) {
  EXPECT_TRUE(allows_any_minor(*VersionRange::parse(">=3.8"), "3.9-3.11"));
  EXPECT_TRUE(allows_any_minor(*VersionRange::parse("==3.10.14"), "3.9-3.11"));
  EXPECT_FALSE(allows_any_minor(*VersionRange::parse(">=3.12"), "3.9-3.11"));
  EXPECT_FALSE(allows_any_minor(*VersionRange::parse("==3.8.*"), "3.9-3.13"));
  EXPECT_FALSE(allows_any_minor(*VersionRange::parse("==3.9.*"), "3.10"));
  EXPECT_TRUE(allows_any_minor(*VersionRange::parse("==3.9"), "whatever")) << "an unknown form says nothing";
}

}  // namespace
}  // namespace starbridge::port
