#include "weights/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "weights/kernels.h"

namespace starbridge::weights {
namespace {

double widened(DType dtype, std::uint16_t bits) {
  std::byte bytes[2];
  std::memcpy(bytes, &bits, 2);
  double value = 0;
  kernels().widen[static_cast<std::size_t>(dtype)](bytes, 1, &value);
  return value;
}

// Nearest neighbour, ties to even, by looking at every value of the type: no arithmetic in common with the code.
TEST(Number, SmallFloatsAreTheNearestOnes) {
  std::mt19937_64 random(31);
  for (DType dtype : {DType::kF8E4M3Fn, DType::kF8E5M2, DType::kF8E4M3Fnuz, DType::kF8E5M2Fnuz, DType::kF16, DType::kBf16}) {
    std::map<double, std::uint16_t> values;  // positive finite ones
    int width = info(dtype).bits;
    for (std::uint32_t bits = 0; bits < 1U << (width - 1); ++bits) {
      double value = widened(dtype, static_cast<std::uint16_t>(bits));
      if (std::isfinite(value)) values[value] = static_cast<std::uint16_t>(bits);
    }
    std::vector<double> tries;
    for (auto at = values.begin(); std::next(at) != values.end(); ++at) {
      if (values.size() > 1000 && random() % 50 != 0) continue;
      double low = at->first, high = std::next(at)->first, middle = low + (high - low) / 2;
      tries.insert(tries.end(),
                   {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, high), low + (high - low) * 0.3});
    }
    for (double value : tries) {
      auto above = values.lower_bound(value);
      ASSERT_NE(above, values.end());
      auto nearest = above;
      if (above->first != value) {
        auto below = std::prev(above);
        double down = value - below->first, up = above->first - value;
        nearest = down < up ? below : up < down ? above : below->second % 2 == 0 ? below : above;
      }
      ASSERT_EQ(encode_small_float(dtype, value), nearest->second) << info(dtype).name << " " << value;
      bool is_fnuz = dtype == DType::kF8E4M3Fnuz || dtype == DType::kF8E5M2Fnuz;
      std::uint16_t sign = is_fnuz && nearest->second == 0 ? 0 : static_cast<std::uint16_t>(1U << (width - 1));
      ASSERT_EQ(encode_small_float(dtype, -value), nearest->second | sign) << info(dtype).name << " " << -value;
    }
    for (double beyond : {values.rbegin()->first * 1.2, 1e300, HUGE_VAL}) {
      double back = widened(dtype, encode_small_float(dtype, beyond));
      if (dtype == DType::kF8E4M3Fn) {
        EXPECT_EQ(back, values.rbegin()->first);
      } else {
        EXPECT_FALSE(std::isfinite(back)) << info(dtype).name << " " << beyond;
      }
    }
    EXPECT_TRUE(std::isnan(widened(dtype, encode_small_float(dtype, std::nan("")))));
    EXPECT_EQ(encode_small_float(dtype, 5e-324), 0);
  }
}

template <class From, class To>
std::vector<To> converted(DType from, const std::vector<From>& in, DType to, ConversionCounts& counts) {
  std::vector<To> out(in.size());
  convert_elements(from, std::as_bytes(std::span(in)), to, std::as_writable_bytes(std::span(out)), counts);
  return out;
}

TEST(Number, LongIntegersAreRoundedOnce) {
  std::mt19937_64 random(32);
  std::vector<std::int64_t> numbers = {
      INT64_MAX, INT64_MIN, 0, 1, -1, (std::int64_t{1} << 53) + 1, (std::int64_t{1} << 62) + (std::int64_t{1} << 38) + 1};
  for (int count = 0; count < 10'000; ++count) numbers.push_back(static_cast<std::int64_t>(random()) >> (random() % 60));
  ConversionCounts counts;
  std::vector<float> floats = converted<std::int64_t, float>(DType::kI64, numbers, DType::kF32, counts);
  std::vector<double> doubles = converted<std::int64_t, double>(DType::kI64, numbers, DType::kF64, counts);
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    ASSERT_EQ(floats[index], static_cast<float>(numbers[index])) << numbers[index];
    ASSERT_EQ(doubles[index], static_cast<double>(numbers[index])) << numbers[index];
  }
  std::vector<std::uint64_t> unsigned_numbers(numbers.begin(), numbers.end());
  floats = converted<std::uint64_t, float>(DType::kU64, unsigned_numbers, DType::kF32, counts);
  for (std::size_t index = 0; index < numbers.size(); ++index)
    ASSERT_EQ(floats[index], static_cast<float>(unsigned_numbers[index])) << unsigned_numbers[index];
  EXPECT_EQ(counts.overflow, 0u);
}

TEST(Number, WholeNumbersThatDoNotFitAreCounted) {
  ConversionCounts counts;
  EXPECT_EQ((converted<std::int64_t, std::int8_t>(DType::kI64, {127, -128, 128, -129, INT64_MIN}, DType::kI8, counts)),
            (std::vector<std::int8_t>{127, -128, 0, 0, 0}));
  EXPECT_EQ(counts.overflow, 3u);
  counts = {};
  EXPECT_EQ((converted<std::int8_t, std::uint64_t>(DType::kI8, {5, -1}, DType::kU64, counts)),
            (std::vector<std::uint64_t>{5, 0}));
  EXPECT_EQ(counts.overflow, 1u);
  counts = {};
  EXPECT_EQ((converted<std::uint64_t, std::int64_t>(DType::kU64, {7, UINT64_MAX}, DType::kI64, counts)),
            (std::vector<std::int64_t>{7, 0}));
  EXPECT_EQ(counts.overflow, 1u);
  EXPECT_EQ((converted<std::uint8_t, float>(DType::kBool, {0, 1}, DType::kF32, counts)), (std::vector<float>{0, 1}));
}

TEST(Number, OnlySensibleConversionsExist) {
  EXPECT_TRUE(can_convert(DType::kF32, DType::kBf16));
  EXPECT_TRUE(can_convert(DType::kC128, DType::kC64));
  EXPECT_TRUE(can_convert(DType::kBool, DType::kI32));
  for (auto [from, to] : {std::pair(DType::kF32, DType::kI32),
                          {DType::kF32, DType::kBool},
                          {DType::kF32, DType::kC64},
                          {DType::kC64, DType::kF32},
                          {DType::kF4, DType::kF32},
                          {DType::kF32, DType::kF8E8M0Fnu},
                          {DType::kQI8, DType::kI8},
                          {DType::kF32, DType::kQI8},
                          {DType::kI32, DType::kBool}}) {
    EXPECT_FALSE(can_convert(from, to)) << info(from).name << " " << info(to).name;
  }
}

}  // namespace
}  // namespace starbridge::weights
