#include "report/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starbridge::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const catalog::Catalog& catalogue() {
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  return catalog;
}

PrecisionPlan plan(const std::vector<std::string>& names, const char* chip = "ascend-910b3") {
  static const catalog::PrecisionRules rules = catalog::PrecisionRules::load(SB_DATA_DIR).value();
  port::ProjectReport project;
  project.root = "proj";
  int line = 1;
  for (const std::string& name : names) {
    project.uses[name].count += 2;
    project.uses[name].places.push_back({"m.py", line++, 5, ""});
    project.uses[name].count_16_bit = project.uses[name].count;
    project.uses[name].places_16_bit = project.uses[name].places;
  }
  port::ChipReport report;
  report.target = port::make_target(*catalogue().find_chip(chip).value());
  return plan_precision(project, report, rules);
}

std::vector<std::string> ids(const PrecisionPlan& plan) {
  std::vector<std::string> ids;
  for (const PrecisionItem& item : plan.items) ids.push_back(item.id);
  return ids;
}

TEST(PrecisionPlan, SixteenBitRulesWantSixteenBit) {
  EXPECT_THAT(ids(plan({"torch.softmax"})), ElementsAre());
  EXPECT_THAT(ids(plan({"torch.softmax", "torch.autocast"})), Contains("softmax-low-precision"));
  EXPECT_THAT(ids(plan({"torch.softmax", "Tensor.bfloat16"})), Contains("softmax-low-precision"));
  PrecisionPlan both = plan({"torch.softmax", "torch.autocast"});
  ASSERT_EQ(both.low_precision.size(), 1U);
  EXPECT_EQ(both.low_precision[0].place.line, 2);
}

TEST(PrecisionPlan, SixteenBitRulesHoldOnlyWhereSixteenBitComes) {
  static const catalog::PrecisionRules rules = catalog::PrecisionRules::load(SB_DATA_DIR).value();
  port::ProjectReport project;
  project.uses["torch.autocast"] = {1, {{"train.py", 3, 1, ""}}, 1, {{"train.py", 3, 1, ""}}};
  project.uses["torch.softmax"] = {5, {{"net.py", 2, 1, ""}, {"plots.py", 4, 1, ""}}, 2, {{"net.py", 2, 1, ""}}};
  port::ChipReport report;
  report.target = port::make_target(*catalogue().find_chip("ascend-910b3").value());
  PrecisionPlan plan = plan_precision(project, report, rules);
  auto softmax = std::find_if(plan.items.begin(), plan.items.end(),
                              [](const PrecisionItem& item) { return item.id == "softmax-low-precision"; });
  ASSERT_NE(softmax, plan.items.end());
  EXPECT_EQ(softmax->count, 2U);
  ASSERT_EQ(softmax->places.size(), 1U);
  EXPECT_EQ(softmax->places[0].place.file, "net.py");
}

TEST(PrecisionPlan, WhatTheChipLacksIsNamedWithItsSource) {
  PrecisionPlan on_mlu370 = plan({"torch.bfloat16"}, "mlu370-x8");
  ASSERT_THAT(ids(on_mlu370), Contains("bfloat16-missing"));
  EXPECT_EQ(on_mlu370.items[0].source, "torch-mlu");
  EXPECT_THAT(ids(plan({"torch.bfloat16"}, "ascend-910b3")), Not(Contains("bfloat16-missing")));
  EXPECT_THAT(ids(plan({"torch.float64"}, "mlu590")), Contains("float64-missing"));
  EXPECT_THAT(ids(plan({"torch.float64"}, "ascend-910b3")), Contains("float64-limited"));
}

TEST(PrecisionPlan, OldAscendSaturates) {
  EXPECT_THAT(ids(plan({"torch.cuda.amp.GradScaler"}, "ascend-910a")), Contains("overflow-saturates"));
  EXPECT_THAT(ids(plan({"torch.cuda.amp.GradScaler"}, "ascend-910b3")), Not(Contains("overflow-saturates")));
}

TEST(PrecisionPlan, PatternsMeanWhatIsBelowThem) {
  EXPECT_THAT(ids(plan({"torch.fft.rfft"})), Contains("fft"));
  EXPECT_THAT(ids(plan({"torch.fftx"})), ElementsAre());
}

TEST(PrecisionPlan, RiskComesFirstThenUse) {
  PrecisionPlan made = plan({"torch.sort", "torch.argsort", "torch.svd", "torch.nn.Dropout"});
  ASSERT_THAT(ids(made), ElementsAre("random-streams", "sort-ties", "factor-signs"));
  EXPECT_EQ(made.items[1].count, 4U);
  EXPECT_EQ(made.items[1].places.size(), 2U);
}

TEST(PrecisionPlan, CommandsTakeTheStrictestLimits) {
  PrecisionPlan made = plan({"torch.nn.Conv2d", "torch.nn.BatchNorm2d"});
  EXPECT_THAT(ids(made), Contains("public-test-limits"));
  ASSERT_EQ(made.commands.size(), 2U);
  EXPECT_THAT(made.commands[0], HasSubstr("starbridge verify proj PORT --to ascend-910b3"));
  EXPECT_THAT(made.commands[1], HasSubstr("--tolerance float32=0.001:0.0001 "));
  EXPECT_THAT(plan({"torch.nn.functional.cross_entropy", "torch.autocast"}).commands[0], HasSubstr("--tolerance 0.005"));
}

TEST(PrecisionPlan, ThereIsNoneForNvidiaAndForNothing) {
  EXPECT_TRUE(plan({"torch.sort", "torch.float64"}, "nvidia-a100-80g").items.empty());
  EXPECT_TRUE(plan({}).items.empty());
  EXPECT_TRUE(plan({}).commands.empty());
  EXPECT_THAT(ids(plan({"torch.sort"}, "iluvatar-bi-v150")), ElementsAre("sort-ties"));
}

}  // namespace
}  // namespace starbridge::report
