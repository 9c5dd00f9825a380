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
    std::size_t from = random() % 4;
    std::size_t first = std::string::npos;
    for (std::string_view word : kWords) first = std::min(first, text.find(word, from));
    WordSearch<4>::Hit hit = kSearch.find(text, from);
    EXPECT_EQ(hit.position, first) << text;
    if (first == std::string::npos) continue;
    EXPECT_EQ(text.substr(hit.position, kWords[hit.word].size()), kWords[hit.word]) << text;
    ++found_count;
  }
  EXPECT_GT(found_count, 1000);
  EXPECT_LT(found_count, 19'000);
}

TEST(WordSearch, FindsWordsOfOneByteAndAtBothEnds) {
  constexpr std::array<std::string_view, 2> kWords = {"x", "torch"};
  constexpr WordSearch<2> kSearch(kWords);
  for (const char* text : {"x", "ax", "xa", "torch", "a torch", "torch a"}) EXPECT_NE(kSearch.find(text, 0).word, 2U) << text;
  for (const char* text : {"", "a", "torc", "orch", "tor ch"}) EXPECT_EQ(kSearch.find(text, 0).word, 2U) << text;
}

}  // namespace
}  // namespace starbridge::port
