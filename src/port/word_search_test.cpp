#include "port/word_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace starbridge::port {
namespace {

TEST(WordSearch, AgreesWithLookingForEachWord) {
  constexpr std::array<std::string_view, 4> kWords = {"aba", "bcab", "ccccc", "abd"};
  constexpr WordSearch<4> kSearch(kWords);
  std::mt19937 random(5);
  int found_count = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 14; count > 0; --count) text += "abcd\xFF"[random() % 5];
    bool is_found = false;
    for (std::string_view word : kWords) is_found = is_found || text.find(word) != std::string::npos;
    EXPECT_EQ(kSearch.stands_in(text), is_found) << text;
    found_count += is_found ? 1 : 0;
  }
  EXPECT_GT(found_count, 1000);
  EXPECT_LT(found_count, 19'000);
}

TEST(WordSearch, FindsWordsOfOneByteAndAtBothEnds) {
  constexpr std::array<std::string_view, 2> kWords = {"x", "torch"};
  constexpr WordSearch<2> kSearch(kWords);
  for (const char* text : {"x", "ax", "xa", "torch", "a torch", "torch a"}) EXPECT_TRUE(kSearch.stands_in(text)) << text;
  for (const char* text : {"", "a", "torc", "orch", "tor ch"}) EXPECT_FALSE(kSearch.stands_in(text)) << text;
}

}  // namespace
}  // namespace starbridge::port
