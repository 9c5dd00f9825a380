#include "kernel/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starbridge::kernel {

namespace {
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();
}  // namespace

TEST(Accuracy, FiguresFollowTheirFormulas) {
  const Figures f = measure({1, -2, 4, 0}, {1.1, -2, 3.8, 0});
  EXPECT_EQ(f.count, 4U);
  EXPECT_EQ(f.unequal, 2U);
  EXPECT_EQ(*f.first, 0U);
  EXPECT_NEAR(f.diff1, 0.3 / 7, 1e-12);
  EXPECT_NEAR(f.diff2, std::sqrt((0.01 + 0.04) / 21), 1e-12);
  EXPECT_NEAR(f.diff3_relative, 0.1, 1e-12);
  EXPECT_NEAR(f.diff3_absolute, 0.2, 1e-12);
  EXPECT_NEAR(f.diff4_up, 0.5, 1e-12);
  EXPECT_NEAR(f.mare, 0.1 / (1 + 1e-7), 1e-12);
  EXPECT_NEAR(f.mere, (0.1 / (1 + 1e-7) + 0.2 / (4 + 1e-7)) / 4, 1e-12);
}

TEST(Accuracy, ZerosAgainstAnErrorAreInfinitelyFar) {
  EXPECT_EQ(measure({0, 0}, {0, 1e-9}).diff1, kInfinity);
  EXPECT_EQ(measure({0, 0}, {0, 0}).diff1, 0);
  EXPECT_EQ(measure({}, {}).mere, 0);
}

TEST(Accuracy, ExactMeansEveryNumber) {
  EXPECT_TRUE(judge(AccuracyClass::kExact, Precision::kSingle, {1, kNan, kInfinity}, {1, kNan, kInfinity}, {}).agrees);
  EXPECT_FALSE(judge(AccuracyClass::kExact, Precision::kSingle, {1}, {std::nextafter(1.0, 2)}, {}).agrees);
}

TEST(Accuracy, NanAndInfinityMustStandAtTheSamePlaces) {
  for (AccuracyClass which : {AccuracyClass::kExact, AccuracyClass::kReordered, AccuracyClass::kApproximate}) {
    EXPECT_FALSE(judge(which, Precision::kHalf, {1, kNan}, {1, 2}, {}).agrees);
    EXPECT_FALSE(judge(which, Precision::kHalf, {1, kInfinity}, {1, -kInfinity}, {}).agrees);
  }
}

TEST(Accuracy, LimitsDependOnThePrecision) {
  const double off = 1 + 0x1p-11;
  EXPECT_TRUE(judge(AccuracyClass::kApproximate, Precision::kHalf, {1, 1}, {off, off}, {}).agrees);
  EXPECT_FALSE(judge(AccuracyClass::kApproximate, Precision::kSingle, {1, 1}, {off, off}, {}).agrees);
  // One far value among many: the mean is small, the largest is not.
  std::vector<double> golden(10000, 1), got(10000, 1);
  got[17] = 1 + 0x1p-6;
  EXPECT_FALSE(judge(AccuracyClass::kApproximate, Precision::kHalf, golden, got, {}).agrees);
}

TEST(Accuracy, AnotherOrderMayBeTwiceAsFarFromTheReference) {
  const std::vector<double> reference = {1}, golden = {1.01};
  EXPECT_TRUE(judge(AccuracyClass::kReordered, Precision::kSingle, golden, {0.985}, reference).agrees);
  EXPECT_FALSE(judge(AccuracyClass::kReordered, Precision::kSingle, golden, {0.975}, reference).agrees);
  EXPECT_FALSE(judge(AccuracyClass::kReordered, Precision::kSingle, golden, {0.985}, {}).agrees);
}

TEST(Accuracy, SmallValuesAreCountedWhereTermsCancel) {
  // Four numbers near 1 and four that nearly cancelled; the original is off in one of those.
  const std::vector<double> reference = {1, 1, 1, 1, 1e-6, 1e-6, 1e-6, 1e-6};
  std::vector<double> golden = reference, got = reference;
  golden[4] += 2e-9;
  got[4] += 9e-9, got[5] += 9e-9;
  auto agrees = [&](double unit) {
    auto scaled = [&](std::vector<double> values) {
      for (double& each : values) each *= unit;
      return values;
    };
    return judge(AccuracyClass::kReordered, Precision::kSingle, scaled(golden), scaled(got), scaled(reference));
  };
  EXPECT_TRUE(agrees(1).agrees);
  EXPECT_EQ(agrees(1).small->count, 4U);
  EXPECT_EQ(agrees(1).small->golden, 1U);
  EXPECT_EQ(agrees(1).small->got, 2U);
  EXPECT_TRUE(agrees(4096).agrees);
  got[6] += 9e-9;  // three times as many
  EXPECT_FALSE(agrees(1).agrees);
  got[6] = reference[6];
  got[0] += 0x1p-9;  // not a small one
  EXPECT_FALSE(agrees(1).agrees);
}

TEST(Accuracy, NumbersAreTakenOutOfText) {
  const OutputNumbers found = read_numbers("sum = -1.5e3, v2 7 nan, x=+.5 -inf none i 3rd\n");
  ASSERT_EQ(found.numbers.size(), 5U);
  EXPECT_EQ(found.numbers[0], -1500);
  EXPECT_EQ(found.numbers[1], 7);
  EXPECT_TRUE(std::isnan(found.numbers[2]));
  EXPECT_EQ(found.numbers[3], 0.5);
  EXPECT_EQ(found.numbers[4], -kInfinity);
  EXPECT_EQ(found.words, "sum = #, v2 # #, x=# # none i 3rd\n");
}

}  // namespace starbridge::kernel
