#include "kernel/port/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace starbridge::kernel::port {

namespace {

template <class T>
std::string trace(const std::vector<T>& values) {
  const std::uint64_t bytes = values.size() * sizeof(T);
  std::string text(sizeof bytes + bytes, '\0');
  std::memcpy(text.data(), &bytes, sizeof bytes);
  std::memcpy(text.data() + sizeof bytes, values.data(), bytes);
  return text;
}

}  // namespace

TEST(CompareTraces, EqualBitsAgreeInEveryClass) {
  const std::string text = trace<float>({1, -2, 0, 1e30f});
  for (Class kind : {Class::kExact, Class::kReordered, Class::kApproximate}) {
    Comparison result = compare_traces(text, text, kind);
    EXPECT_TRUE(result.agrees) << result.reason.en;
    EXPECT_TRUE(result.is_bit_equal);
  }
}

TEST(CompareTraces, ALastBitIsEnoughForTheExactClassOnly) {
  const std::string a = trace<float>({1.0f, 2.0f}), b = trace<float>({1.0f, 2.0000002f});
  EXPECT_FALSE(compare_traces(a, b, Class::kExact).agrees);
  EXPECT_TRUE(compare_traces(a, b, Class::kReordered).agrees);
}

TEST(CompareTraces, WrongValuesAreFound) {
  EXPECT_FALSE(compare_traces(trace<float>({1, 2, 3}), trace<float>({1, 2, 3.1f}), Class::kApproximate).agrees);
  EXPECT_FALSE(compare_traces(trace<int>({5, 1000}), trace<int>({5, 1001}), Class::kApproximate).agrees);
  EXPECT_FALSE(compare_traces(trace<float>({0.0f, 1.0f}), trace<float>({NAN, 1.0f}), Class::kApproximate).agrees);
  EXPECT_FALSE(compare_traces(trace<char>({1, 2, 3}), trace<char>({1, 2, 4}), Class::kApproximate).agrees);
}

TEST(CompareTraces, SixteenBitFloatsAreLookedAtOneByOne) {
  std::vector<std::uint16_t> a;
  for (int i = 0; i < 128; ++i) a.push_back(static_cast<std::uint16_t>(0x3f80 + 3 * i));  // 1 to 64 as bfloat16
  std::vector<std::uint16_t> one_up = a, low_wrong = a, no_number = a;
  for (std::uint16_t& each : one_up) ++each;
  low_wrong[64] = static_cast<std::uint16_t>(low_wrong[64] + 0x20);
  no_number[64] = 0x7fc0;
  const NarrowTypes brain{false, true};
  EXPECT_TRUE(compare_traces(trace(a), trace(one_up), Class::kReordered, kFloor, brain).agrees);
  EXPECT_FALSE(compare_traces(trace(a), trace(low_wrong), Class::kReordered, kFloor, brain).agrees);
  EXPECT_FALSE(compare_traces(trace(a), trace(no_number), Class::kReordered, kFloor, brain).agrees);
  std::vector<float> whole;
  for (int i = 1; i <= 128; ++i) whole.push_back(static_cast<float>(i) / 7.0f);
  std::vector<float> off = whole;
  off[3] *= 1.01f;  // within the limit of bfloat16, but these are 32-bit floats
  EXPECT_FALSE(compare_traces(trace(whole), trace(off), Class::kReordered, kFloor, brain).agrees);
}

TEST(CompareTraces, MissingLeftOutAndNoCopiesAreNoAgreement) {
  const std::string one = trace<float>({1}), two = one + one;
  EXPECT_FALSE(compare_traces(two, one, Class::kReordered).agrees);
  EXPECT_FALSE(compare_traces(one, two, Class::kReordered).agrees);
  EXPECT_FALSE(compare_traces("", "", Class::kReordered).agrees);
  std::string left_out(8, '\0');
  left_out[7] = static_cast<char>(0x80);
  EXPECT_FALSE(compare_traces(left_out, left_out, Class::kReordered).agrees);
}

}  // namespace starbridge::kernel::port
