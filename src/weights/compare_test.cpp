#include "weights/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "weights/test_files.h"

namespace starbridge::weights {
namespace {

// A checkpoint in memory: float tensors by name.
Checkpoint checkpoint_of(const std::vector<std::pair<std::string, std::vector<float>>>& tensors, bool has_model_order = false) {
  Checkpoint checkpoint;
  checkpoint.path = "memory";
  checkpoint.has_model_order = has_model_order;
  for (const auto& [name, values] : tensors) {
    std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    checkpoint.sources.push_back(std::make_unique<MemorySource>(bytes));
    Tensor tensor;
    tensor.name = name;
    tensor.shape = {values.size()};
    tensor.strides = {1};
    tensor.storage = checkpoint.storages.size();
    checkpoint.storages.push_back({name, "cpu", checkpoint.sources.back().get(), 0, bytes.size(), false});
    checkpoint.tensors.push_back(tensor);
  }
  return checkpoint;
}

const TensorResult& result_of(const Comparison& comparison, const std::string& name) {
  for (const TensorResult& result : comparison.tensors) {
    if (result.name == name) return result;
  }
  ADD_FAILURE() << name;
  return comparison.tensors[0];
}

TEST(Compare, TheSameAgreesWithEqualHashes) {
  Checkpoint left = checkpoint_of({{"a", {1, 2, 3}}}), right = checkpoint_of({{"a", {1, 2, 3}}});
  Comparison comparison = compare(left, right, {}).value();
  EXPECT_TRUE(comparison.agrees);
  EXPECT_EQ(comparison.tensors[0].outcome, Outcome::kIdentical);
  EXPECT_EQ(comparison.tensors[0].left_hash, comparison.tensors[0].right_hash);
  EXPECT_FALSE(comparison.first_diverging);
}

TEST(Compare, NamesTheFirstDivergingLayerInModelOrder) {
  std::vector<std::string> names = {"layers.10.weight", "layers.2.weight", "embed.weight", "head.weight"};
  std::vector<std::pair<std::string, std::vector<float>>> left, right;
  for (const std::string& name : names) {
    left.push_back({name, {1, 2}});
    right.push_back({name, {1, name == "embed.weight" ? 2.0F : 2.5F}});
  }
  Comparison comparison = compare(checkpoint_of(left), checkpoint_of(right), {}).value();
  EXPECT_EQ(comparison.tensors[*comparison.first_diverging].name, "layers.2.weight");
  EXPECT_EQ(comparison.order_source, OrderSource::kNames);
  Checkpoint ordered = checkpoint_of(left, true), other = checkpoint_of(right);
  comparison = compare(ordered, other, {}).value();
  EXPECT_EQ(comparison.tensors[*comparison.first_diverging].name, "layers.10.weight");
  comparison = compare(other, ordered, {}).value();
  EXPECT_EQ(comparison.order_source, OrderSource::kRightFile);
  CompareOptions options;
  options.order = {"head.weight", "unknown", "layers.2.weight"};
  EXPECT_EQ(compare(ordered, other, options).value().tensors[0].name, "head.weight");
}

TEST(Compare, ADifferenceBehindALongEqualPartHasFiguresOfTheWhole) {
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> left(300'000);
  for (float& value : left) value = normal(random);
  std::vector<float> right = left;
  right[250'000] += 1;
  Checkpoint left_file = checkpoint_of({{"a", left}}), right_file = checkpoint_of({{"a", right}});
  Comparison comparison = compare(left_file, right_file, {}).value();
  const TensorResult& result = comparison.tensors[0];
  EXPECT_FALSE(result.agrees);
  EXPECT_EQ(result.first_unequal, 250'000u);
  EXPECT_EQ(result.tally.worst_index, 250'000u);
  EXPECT_EQ(result.tally.count, 300'000u);
  EXPECT_EQ(result.tally.unequal, 1u);
  double dot = 0, a = 0, b = 0;
  for (std::size_t index = 0; index < left.size(); ++index) {
    dot += double{left[index]} * double{right[index]};
    a += double{left[index]} * double{left[index]};
    b += double{right[index]} * double{right[index]};
  }
  EXPECT_NEAR(result.cosine, dot / std::sqrt(a * b), 1e-12);
}

TEST(Compare, RulesDecide) {
  Checkpoint left = checkpoint_of({{"a", {1, 100}}}),
             right = checkpoint_of({{"a", {std::nextafter(std::nextafter(1.0F, 2.0F), 2.0F), 100}}});
  CompareOptions options;
  EXPECT_EQ(compare(left, right, options).value().tensors[0].outcome, Outcome::kWithin);
  options.rule.is_exact = true;
  EXPECT_FALSE(compare(left, right, options).value().agrees);
  options.rule = {};
  options.rule.ulp_max = 1;
  EXPECT_FALSE(compare(left, right, options).value().agrees);
  options.rule.ulp_max = 2;
  EXPECT_TRUE(compare(left, right, options).value().agrees);
  options.rule = {};
  options.rule.limits[DType::kF32] = {0, 0};
  EXPECT_FALSE(compare(left, right, options).value().agrees);
  options.rule.limits[DType::kF32] = {10, 10};
  options.rule.cosine_min = 1.0;
  Checkpoint turned = checkpoint_of({{"a", {1, -100}}});
  EXPECT_FALSE(compare(left, turned, options).value().agrees);
}

TEST(Compare, NanAgreesOnlyWithNan) {
  float nan = std::nanf(""), infinite = HUGE_VALF;
  CompareOptions options;
  options.rule.limits[DType::kF32] = {10, 10};
  auto agrees = [&](float a, float b) {
    Checkpoint left = checkpoint_of({{"a", {a, 1}}}), right = checkpoint_of({{"a", {b, 1.1F}}});
    return compare(left, right, options).value().agrees;
  };
  EXPECT_TRUE(agrees(nan, -nan));
  EXPECT_FALSE(agrees(nan, 1));
  EXPECT_FALSE(agrees(1, nan));
  EXPECT_TRUE(agrees(infinite, infinite));
  EXPECT_FALSE(agrees(infinite, -infinite));
  EXPECT_FALSE(agrees(1, infinite));
}

TEST(Compare, PresenceShapeAndDtypeAreDifferences) {
  Checkpoint left = checkpoint_of({{"same", {1}}, {"left", {1}}, {"shape", {1, 2}}, {"dtype", {1}}});
  Checkpoint right = checkpoint_of({{"same", {1}}, {"right", {1}}, {"shape", {1, 2, 3}}, {"dtype", {1}}});
  right.tensors[3].dtype = DType::kI32;
  Comparison comparison = compare(left, right, {}).value();
  EXPECT_EQ(result_of(comparison, "left").outcome, Outcome::kOnlyLeft);
  EXPECT_EQ(result_of(comparison, "right").outcome, Outcome::kOnlyRight);
  EXPECT_EQ(result_of(comparison, "shape").outcome, Outcome::kWrongShape);
  EXPECT_EQ(result_of(comparison, "dtype").outcome, Outcome::kWrongDtype);
  EXPECT_TRUE(result_of(comparison, "dtype").has_figures);
  CompareOptions options;
  options.rule.ignores_missing = true;
  comparison = compare(left, right, options).value();
  EXPECT_TRUE(result_of(comparison, "left").agrees);
  EXPECT_FALSE(comparison.agrees);
}

TEST(Compare, PrefixesMayBeIgnored) {
  Checkpoint left = checkpoint_of({{"a.weight", {1}}}), right = checkpoint_of({{"module._orig_mod.a.weight", {1}}});
  base::Result<Comparison> refused = compare(left, right, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), "weights.nothing_to_compare");
  EXPECT_THAT(refused.error().next_step().en, testing::HasSubstr("--ignore-prefix module._orig_mod."));
  CompareOptions options;
  options.ignored_prefixes = {"_orig_mod.", "module."};
  EXPECT_TRUE(compare(left, right, options).value().agrees);
  Checkpoint twice = checkpoint_of({{"module.a", {1}}, {"a", {1}}});
  EXPECT_EQ(compare(twice, left, options).error().code(), "weights.ambiguous_names");
}

TEST(Compare, ManyTensorsOnManyThreadsGiveTheSameAnswer) {
  std::mt19937_64 random(9);
  std::vector<std::pair<std::string, std::vector<float>>> left, right;
  for (int index = 0; index < 60; ++index) {
    std::vector<float> values(random() % 3000, 1.0F);
    left.push_back({"t" + std::to_string(index), values});
    if (!values.empty() && index % 7 == 0) values[values.size() / 2] = 2;
    right.push_back({"t" + std::to_string(index), values});
  }
  Checkpoint left_file = checkpoint_of(left), right_file = checkpoint_of(right);
  CompareOptions one, many;
  one.thread_count = 1;
  many.thread_count = 8;
  Comparison a = compare(left_file, right_file, one).value(), b = compare(left_file, right_file, many).value();
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t index = 0; index < a.tensors.size(); ++index) {
    EXPECT_EQ(a.tensors[index].name, b.tensors[index].name);
    EXPECT_EQ(a.tensors[index].outcome, b.tensors[index].outcome);
    EXPECT_EQ(a.tensors[index].right_hash, b.tensors[index].right_hash);
  }
}

TEST(Compare, AFailureWhileReadingIsTheAnswer) {
  Checkpoint left = checkpoint_of({{"a", {1, 2}}}), right = checkpoint_of({{"a", {1, 2}}});
  right.storages[0].offset = 4;  // as if the file had been cut short
  base::Result<Comparison> comparison = compare(left, right, {});
  ASSERT_FALSE(comparison.ok());
  EXPECT_EQ(comparison.error().code(), "weights.malformed");
}

}  // namespace
}  // namespace starbridge::weights
