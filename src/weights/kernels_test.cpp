#include "weights/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace starbridge::weights {
namespace {

struct FloatForm {
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;
  bool is_fnuz;  // one NaN, where -0 would be
};
constexpr FloatForm kForms[] = {{DType::kF8E4M3Fn, 4, 3, 7, false, false},  {DType::kF8E5M2, 5, 2, 15, true, false},
                                {DType::kF8E4M3Fnuz, 4, 3, 8, false, true}, {DType::kF8E5M2Fnuz, 5, 2, 16, false, true},
                                {DType::kF16, 5, 10, 15, true, false},      {DType::kBf16, 8, 7, 127, true, false},
                                {DType::kF32, 8, 23, 127, true, false},     {DType::kF64, 11, 52, 1023, true, false}};

// The definition of the format, in the plainest words.
double decoded(const FloatForm& form, std::uint64_t bits) {
  int width = 1 + form.exponent_bits + form.mantissa_bits;
  std::uint64_t mantissa = bits & ((1ULL << form.mantissa_bits) - 1);
  auto exponent = static_cast<int>((bits >> form.mantissa_bits) & ((1ULL << form.exponent_bits) - 1));
  int exponent_max = (1 << form.exponent_bits) - 1;
  double sign = (bits >> (width - 1)) != 0 ? -1 : 1;
  if (form.is_fnuz && bits == 1ULL << (width - 1)) return std::nan("");
  if (!form.is_fnuz && exponent == exponent_max) {
    if (form.has_infinity) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    if (mantissa == (1ULL << form.mantissa_bits) - 1) return std::nan("");
  }
  double fraction = std::ldexp(static_cast<double>(mantissa), -form.mantissa_bits);
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - form.bias) : sign * std::ldexp(1 + fraction, exponent - form.bias);
}

std::vector<std::uint64_t> patterns_of(const FloatForm& form, std::mt19937_64& random) {
  int width = 1 + form.exponent_bits + form.mantissa_bits;
  std::vector<std::uint64_t> patterns;
  if (width <= 16) {
    for (std::uint64_t bits = 0; bits < 1ULL << width; ++bits) patterns.push_back(bits);
  } else {
    for (int count = 0; count < 50'000; ++count) patterns.push_back(random() >> (64 - width));
    for (std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1} << (width - 1)}) {
      for (std::uint64_t step = 0; step < 10; ++step) patterns.push_back(near + step);
    }
  }
  return patterns;
}

std::vector<std::byte> packed(const std::vector<std::uint64_t>& values, std::size_t width) {
  std::vector<std::byte> bytes(values.size() * width);
  for (std::size_t index = 0; index < values.size(); ++index) std::memcpy(bytes.data() + index * width, &values[index], width);
  return bytes;
}

TEST(Kernels, WidenEveryBitPatternExactly) {
  std::mt19937_64 random(11);
  for (const FloatForm& form : kForms) {
    std::vector<std::uint64_t> patterns = patterns_of(form, random);
    std::vector<std::byte> bytes = packed(patterns, item_bytes(form.dtype));
    for (const KernelSet* set : {&baseline_kernels(), &kernels()}) {
      std::vector<double> wide(patterns.size());
      set->widen[static_cast<std::size_t>(form.dtype)](bytes.data(), patterns.size(), wide.data());
      for (std::size_t index = 0; index < patterns.size(); ++index) {
        double wanted = decoded(form, patterns[index]);
        if (std::isnan(wanted)) {
          ASSERT_TRUE(std::isnan(wide[index])) << info(form.dtype).name << " " << patterns[index];
        } else {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(wide[index]), std::bit_cast<std::uint64_t>(wanted))
              << info(form.dtype).name << " " << patterns[index];
        }
      }
    }
  }
}

// What Tally means, said one element at a time and without any of the kernels' tricks.
Tally plain_tally(const FloatForm& form, const std::vector<std::uint64_t>& left, const std::vector<std::uint64_t>& right,
                  const Limits& limits) {
  Tally tally;
  auto key = [&](std::uint64_t bits) {
    int width = 1 + form.exponent_bits + form.mantissa_bits;
    auto magnitude = static_cast<long double>(bits & ((1ULL << (width - 1)) - 1));
    return (bits >> (width - 1)) != 0 ? -magnitude : magnitude;
  };
  for (std::size_t index = 0; index < left.size(); ++index) {
    ++tally.count;
    double a = decoded(form, left[index]), b = decoded(form, right[index]);
    tally.nan_left += std::isnan(a) ? 1 : 0;
    tally.nan_right += std::isnan(b) ? 1 : 0;
    tally.infinite_left += std::isinf(a) ? 1 : 0;
    tally.infinite_right += std::isinf(b) ? 1 : 0;
    if ((std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b)) continue;
    bool is_broken = std::isnan(a) || std::isnan(b) || std::isinf(a) || std::isinf(b);
    tally.nan_mismatch += std::isnan(a) || std::isnan(b) ? 1 : 0;
    double difference = std::isnan(a) || std::isnan(b) ? 0 : std::abs(a - b);
    tally.unequal += is_broken || a != b ? 1 : 0;
    tally.beyond += is_broken || difference > limits.absolute + limits.relative * std::abs(a) ? 1 : 0;
    tally.beyond_1_permille += is_broken || difference > 0.001 * std::abs(a) ? 1 : 0;
    tally.beyond_5_permille += is_broken || difference > 0.005 * std::abs(a) ? 1 : 0;
    if (difference > tally.absolute_max) {
      tally.absolute_max = difference;
      tally.worst_index = index;
    }
    if (is_broken) {
      if (std::isinf(difference)) tally.relative_max = difference;
      continue;
    }
    if (a != 0) tally.relative_max = std::max(tally.relative_max, difference / std::abs(a));
    tally.ulp_max = std::max(tally.ulp_max, static_cast<std::uint64_t>(std::abs(key(left[index]) - key(right[index]))));
    tally.left_peak = std::max(tally.left_peak, std::abs(a));
  }
  return tally;
}

void expect_same(const Tally& got, const Tally& wanted, const std::string& what) {
  EXPECT_EQ(got.count, wanted.count) << what;
  EXPECT_EQ(got.absolute_max, wanted.absolute_max) << what;
  EXPECT_EQ(got.relative_max, wanted.relative_max) << what;
  EXPECT_EQ(got.ulp_max, wanted.ulp_max) << what;
  EXPECT_EQ(got.left_peak, wanted.left_peak) << what;
  EXPECT_EQ(got.unequal, wanted.unequal) << what;
  EXPECT_EQ(got.beyond, wanted.beyond) << what;
  EXPECT_EQ(got.beyond_1_permille, wanted.beyond_1_permille) << what;
  EXPECT_EQ(got.beyond_5_permille, wanted.beyond_5_permille) << what;
  EXPECT_EQ(got.nan_left, wanted.nan_left) << what;
  EXPECT_EQ(got.nan_right, wanted.nan_right) << what;
  EXPECT_EQ(got.nan_mismatch, wanted.nan_mismatch) << what;
  EXPECT_EQ(got.infinite_left, wanted.infinite_left) << what;
  EXPECT_EQ(got.infinite_right, wanted.infinite_right) << what;
  if (wanted.absolute_max > 0) {
    EXPECT_EQ(got.worst_index, wanted.worst_index) << what;
  }
}

TEST(Kernels, CompareAsTheDefinitionSays) {
  std::mt19937_64 random(12);
  const Limits limits{0.01, 1e-6};
  for (const FloatForm& form : kForms) {
    int width = 1 + form.exponent_bits + form.mantissa_bits;
    for (std::size_t count : {0, 1, 7, 8, 9, 1023, 1024, 1025, 5000}) {
      for (int round = 0; round < 6; ++round) {
        // Rounds 0-1: any bits, NaN and infinity among them. 2-3: neighbours. 4-5: mostly equal.
        std::vector<std::uint64_t> left(count), right(count);
        for (std::size_t index = 0; index < count; ++index) {
          left[index] = random() >> (64 - width);
          std::uint64_t step = round < 4 ? random() % 4 : random() % 50 == 0 ? 1 : 0;
          right[index] = round < 2 ? random() >> (64 - width) : left[index] ^ step;
        }
        Tally wanted = plain_tally(form, left, right, limits);
        std::vector<std::byte> left_bytes = packed(left, item_bytes(form.dtype)),
                               right_bytes = packed(right, item_bytes(form.dtype));
        for (const KernelSet* set : {&baseline_kernels(), &kernels()}) {
          Tally got;
          set->compare[static_cast<std::size_t>(form.dtype)](left_bytes.data(), right_bytes.data(), count, limits, got);
          expect_same(got, wanted,
                      std::string(info(form.dtype).name) + " count " + std::to_string(count) + " round " + std::to_string(round));
        }
      }
    }
  }
}

TEST(Kernels, WholeNumbersAreExactBeyondTheDoubles) {
  std::vector<std::int64_t> left = {INT64_MAX, INT64_MIN, 0, 5, (std::int64_t{1} << 53) + 1, 1, 1, 1};
  std::vector<std::int64_t> right = {INT64_MAX, INT64_MIN, 0, 5, (std::int64_t{1} << 53), 1, 1, 1};
  for (const KernelSet* set : {&baseline_kernels(), &kernels()}) {
    Tally tally;
    set->compare[static_cast<std::size_t>(DType::kI64)](reinterpret_cast<const std::byte*>(left.data()),
                                                        reinterpret_cast<const std::byte*>(right.data()), left.size(), Limits{},
                                                        tally);
    EXPECT_EQ(tally.ulp_max, 1u);
    EXPECT_EQ(tally.absolute_max, 1.0);
    EXPECT_EQ(tally.beyond, 1u);
    EXPECT_EQ(tally.worst_index, 4u);
  }
  std::uint8_t a = 3, b = 250;
  Tally tally;
  kernels().compare[static_cast<std::size_t>(DType::kI8)](reinterpret_cast<const std::byte*>(&a),
                                                          reinterpret_cast<const std::byte*>(&b), 1, Limits{}, tally);
  EXPECT_EQ(tally.absolute_max, 9.0);  // 250 is -6
}

TEST(Kernels, TheSumsOfBothSetsAgree) {
  std::mt19937_64 random(13);
  std::normal_distribution<float> normal;
  std::vector<float> left(10'007), right(10'007);
  double dot = 0, square = 0;
  for (std::size_t index = 0; index < left.size(); ++index) {
    left[index] = normal(random);
    right[index] = left[index] + 0.01F * normal(random);
    dot += double{left[index]} * double{right[index]};
    square += double{left[index]} * double{left[index]};
  }
  for (const KernelSet* set : {&baseline_kernels(), &kernels()}) {
    Tally tally;
    set->compare[static_cast<std::size_t>(DType::kF32)](reinterpret_cast<const std::byte*>(left.data()),
                                                        reinterpret_cast<const std::byte*>(right.data()), left.size(), Limits{},
                                                        tally);
    EXPECT_NEAR(tally.dot, dot, 1e-9 * dot);
    EXPECT_NEAR(tally.left_square, square, 1e-9 * square);
  }
}

TEST(DType, TheTableStandsInOrderAndFindsItsNames) {
  ASSERT_EQ(all_dtypes().size(), kDTypeCount);
  for (const DTypeInfo& row : all_dtypes()) {
    EXPECT_EQ(info(row.dtype).name, row.name);
    EXPECT_EQ(dtype_from_name(row.name), row.dtype);
    EXPECT_EQ(dtype_from_name(row.short_name), row.dtype);
    EXPECT_TRUE(row.safetensors.empty() || dtype_from_safetensors(row.safetensors) == row.dtype) << row.name;
    EXPECT_TRUE(row.torch_storage.empty() || dtype_from_storage(row.torch_storage) == row.dtype) << row.name;
  }
  EXPECT_EQ(dtype_from_name("half"), DType::kF16);
  EXPECT_EQ(dtype_from_name("float128"), std::nullopt);
  EXPECT_EQ(dtype_from_storage(""), std::nullopt);
}

}  // namespace
}  // namespace starbridge::weights
