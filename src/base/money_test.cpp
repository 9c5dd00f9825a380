#include "base/money.h"

#include <gtest/gtest.h>

#include <random>

namespace starbridge::base {
namespace {

PricePerHour yuan(const char* text) { return parse_price_yuan(text).value(); }

TEST(Money, PricesAreExact) {
  EXPECT_EQ(yuan("12.5").micro_fen, 1'250'000'000);
  EXPECT_EQ(yuan("0.00000001").micro_fen, 1);
  EXPECT_EQ(yuan(" 3 ").micro_fen, 300'000'000);
  EXPECT_EQ(format_yuan(yuan("12.5")), "12.50");
  EXPECT_EQ(format_yuan(yuan("0.00000001")), "0.00000001");
}

TEST(Money, WrongPricesAreRefused) {
  for (const char* bad : {"", ".", "-1", "1e3", "1,5", "12.5 yuan", "0.000000001", "99999999", "1.2.3", "٣"}) {
    EXPECT_FALSE(parse_price_yuan(bad).ok()) << bad;
  }
}

TEST(Money, RatingRoundsOnceHalfAwayFromZero) {
  EXPECT_EQ(rate_fen(yuan("36"), 1, 3'600'000, 0).value, 3600);
  EXPECT_EQ(rate_fen(yuan("36"), 1, 1000, 0).value, 1);  // 1 fen exactly
  EXPECT_EQ(rate_fen(yuan("36"), 1, 500, 0).value, 1);   // 0.5 fen
  EXPECT_EQ(rate_fen(yuan("36"), 1, 499, 0).value, 0);
  EXPECT_EQ(rate_fen(yuan("36"), 8, 3'600'000, 250).value, 21'600);
  EXPECT_EQ(rate_fen(yuan("36"), 8, 3'600'000, 1000).value, 0);
  EXPECT_EQ(rate_fen(yuan("36"), 0, 3'600'000, 0).value, 0);
}

TEST(Money, LargeAmountsDoNotOverflow) {
  // 10,000 cards at 1,000 yuan an hour for ten years.
  std::int64_t ten_years_ms = 10LL * 365 * 24 * 3'600'000;
  EXPECT_EQ(rate_fen(yuan("1000"), 10'000, ten_years_ms, 0).value, 100'000LL * 10'000 * 10 * 365 * 24);
}

TEST(Money, RatingIsMonotoneAndNearTheExactValue) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20'000; ++round) {
    PricePerHour price{static_cast<std::int64_t>(random() % 10'000'000'000ULL)};
    auto cards = static_cast<std::int64_t>(random() % 64);
    auto duration = static_cast<std::int64_t>(random() % 1'000'000'000ULL);
    auto discount = static_cast<std::int64_t>(random() % 1001);
    Fen amount = rate_fen(price, cards, duration, discount);
    long double exact = static_cast<long double>(price.micro_fen) * cards * duration * (1000 - discount) / 3.6e15L;
    EXPECT_LE(std::abs(static_cast<long double>(amount.value) - exact), 0.5L + exact * 1e-15L);
    EXPECT_GE(rate_fen(price, cards, duration + 1, discount), amount);
  }
}

TEST(MoneyDeathTest, NegativeTimeIsABug) { EXPECT_EXIT(rate_fen({1}, 1, -1, 0), testing::ExitedWithCode(70), "duration_ms"); }

TEST(Money, AmountsAreGroupedByThousands) {
  EXPECT_EQ(format_yuan(Fen{123'456'789}), "1,234,567.89");
  EXPECT_EQ(format_yuan(Fen{-5}), "-0.05");
  EXPECT_EQ(format_yuan(Fen{99'999}), "999.99");
  EXPECT_EQ(format_yuan(Fen{100'000}), "1,000.00");
}

}  // namespace
}  // namespace starbridge::base
