#include "base/xxh64.h"

#include <gtest/gtest.h>

#include <random>

namespace starbridge::base {
namespace {

std::string hash_of(std::string_view text) {
  Xxh64 hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.hex();
}

// Vectors published with the algorithm and its common bindings.
TEST(Xxh64, AgreesWithPublishedVectors) {
  EXPECT_EQ(hash_of(""), "ef46db3751d8e999");
  EXPECT_EQ(hash_of("a"), "d24ec4f1a98c6e5b");
  EXPECT_EQ(hash_of("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), "fbcea83c8a378bf1");
}

TEST(Xxh64, PiecesGiveTheHashOfTheWhole) {
  std::mt19937_64 random(7);
  std::string text(1000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  std::string whole = hash_of(text);
  for (int round = 0; round < 200; ++round) {
    Xxh64 hash;
    for (std::string_view rest = text; !rest.empty();) {
      std::size_t piece = std::min<std::size_t>(rest.size(), random() % 90);
      hash.add(std::as_bytes(std::span(rest.substr(0, piece))));
      rest.remove_prefix(piece);
    }
    ASSERT_EQ(hash.hex(), whole) << "round " << round;
  }
}

}  // namespace
}  // namespace starbridge::base
