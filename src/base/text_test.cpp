#include "base/text.h"

#include <gtest/gtest.h>

#include <random>

namespace starbridge::base {
namespace {

TEST(Text, ChineseIsChosenOnlyWhenPresent) {
  EXPECT_EQ(text("{} cards", "{} 张卡", 3).in(Language::kChinese), "3 张卡");
  EXPECT_EQ((Text{"only English", ""}).in(Language::kChinese), "only English");
}

TEST(Text, LanguageComesFromLocaleNames) {
  for (const char* name : {"zh", "zh_CN.UTF-8", "zh-Hans", "ZH_tw", "cn"})
    EXPECT_EQ(language_from_name(name), Language::kChinese) << name;
  for (const char* name : {"", "C", "en_US.UTF-8", "de", "zulu"}) EXPECT_EQ(language_from_name(name), Language::kEnglish) << name;
}

TEST(Text, WidthCountsTerminalColumns) {
  EXPECT_EQ(display_width("card"), 4U);
  EXPECT_EQ(display_width("算力"), 4U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining acute accent
  EXPECT_EQ(display_width("\xFF\xFE"), 2U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Text, MalformedUtf8IsFoundAndReplaced) {
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xB8", "\x80", "a\xFF"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
    EXPECT_TRUE(is_valid_utf8(sanitize_utf8(bad)));
  }
  EXPECT_TRUE(is_valid_utf8("算力 \xF0\x9F\x9A\x80"));
  EXPECT_EQ(sanitize_utf8("算力"), "算力");
}

TEST(Text, SanitizedRandomBytesAreAlwaysValid) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_TRUE(is_valid_utf8(sanitize_utf8(bytes)));
  }
}

TEST(Text, NearestWordSuggestsTyposOnly) {
  std::vector<std::string> words = {"ascend-910b3", "nvidia-a100-80g", "mlu370-x8"};
  EXPECT_EQ(nearest_word("ascend-910b", words), "ascend-910b3");
  EXPECT_EQ(nearest_word("mlu370x8", words), "mlu370-x8");
  EXPECT_EQ(nearest_word("tpu", words), "");
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Text, TrimAndLower) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(to_lower("A100-算"), "a100-算");
}

}  // namespace
}  // namespace starbridge::base
