#include "sched/decision.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/json.h"
#include "sched/placement.h"

namespace starbridge::sched {
namespace {

const catalog::Catalog& catalogue() {
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  return catalog;
}

const pool::Pool& emulated_pool() {
  static const pool::Pool pool = pool::default_pool(catalogue()).value();
  return pool;
}

JobSpec job_for(std::int64_t cards) {
  JobSpec job;
  job.name = "j";
  job.script = "true";
  job.card_count = cards;
  return job;
}

Decision decide_for(const JobSpec& job, std::set<std::string> leased = {}, const Verdicts& verdicts = {},
                    base::TimeMs now_ms = 0) {
  return decide(job, {emulated_pool(), std::move(leased)}, catalogue(), verdicts, now_ms);
}

std::string reason_of(const Decision& decision, const std::string& chip) {
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.chip == chip) return candidate.reason.en;
  }
  return "";
}

TEST(Decision, CheapestAndFastestChooseByTheirMeasure) {
  JobSpec job = job_for(1);
  Decision cheapest = decide_for(job);
  for (const Candidate& candidate : cheapest.candidates) {
    if (candidate.is_eligible) {
      EXPECT_GE(*candidate.estimated_cost, *cheapest.candidates[1].estimated_cost);
    }
  }
  EXPECT_EQ(cheapest.chip, "mlu370-x8");
  job.policy = Policy::kFastest;
  EXPECT_EQ(decide_for(job).chip, "nvidia-a100-80g");
  job.policy = Policy::kDomesticOnly;
  Decision domestic = decide_for(job);
  EXPECT_NE(domestic.chip, "nvidia-a100-80g");
  EXPECT_EQ(reason_of(domestic, "nvidia-a100-80g"), "the policy allows domestic chips only");
}

TEST(Decision, ADeadlineTakesTheCheapestThatMeetsIt) {
  JobSpec job = job_for(1);
  job.policy = Policy::kDeadline;
  job.reference_ms = 3'600'000;
  job.deadline_ms = 5'400'000;  // MLU370 would need more than three hours
  EXPECT_EQ(decide_for(job).chip, "ascend-910b3");
  job.deadline_ms = 1;  // nobody meets it: the soonest
  EXPECT_EQ(decide_for(job).chip, "nvidia-a100-80g");
}

TEST(Decision, EveryLoserHasItsReason) {
  JobSpec job = job_for(2);
  job.chips = {"ascend-910b3"};
  job.memory_per_card_bytes = 80LL << 30;
  Decision decision = decide_for(job);
  EXPECT_EQ(decision.status, Decision::Status::kNoFit);
  EXPECT_EQ(reason_of(decision, "ascend-910b3"), "it has 64 GiB per card, the job needs 80 GiB");
  EXPECT_EQ(reason_of(decision, "mlu370-x8"), "the job does not name this chip");
}

TEST(Decision, OpenFindingsExcludeAChipUnlessTheJobAcceptsThem) {
  Verdicts verdicts = {{"mlu370-x8", {true, true, {"needs work", "需人工处理"}}},
                       {"ascend-910b3", {false, false, {"cannot", "不可运行"}}}};
  JobSpec job = job_for(1);
  EXPECT_EQ(decide_for(job, {}, verdicts).chip, "nvidia-a100-80g");
  job.accepts_open_findings = true;
  EXPECT_EQ(decide_for(job, {}, verdicts).chip, "mlu370-x8");
}

TEST(Decision, ABusyPoolMeansWaitingAndAnotherFreeChipIsTaken) {
  std::set<std::string> leased;
  for (int index = 0; index < 8; ++index) leased.insert("node-mlu/mlu370-x8-" + std::to_string(index));
  EXPECT_EQ(decide_for(job_for(1), leased).chip, "ascend-910b3");
  JobSpec job = job_for(1);
  job.chips = {"mlu370-x8"};
  Decision waiting = decide_for(job, leased);
  EXPECT_EQ(waiting.status, Decision::Status::kWaiting);
  EXPECT_TRUE(waiting.cards.empty());
}

TEST(Placement, GangsStayOnOneNodeWhenTheyFitAndFillTheTightestFirst) {
  pool::Pool pool{"p", true, {}};
  for (auto [node, count] : {std::pair{"a", 4}, std::pair{"b", 2}, std::pair{"c", 8}}) {
    pool::Node each{node, {}};
    for (int index = 0; index < count; ++index)
      each.cards.push_back({std::string(node) + "/" + std::to_string(index), node, "x", index, 0, true, true});
    pool.nodes.push_back(each);
  }
  EXPECT_EQ(*seat({pool, {}}, "x", 2, 0, false), (std::vector<std::string>{"b/0", "b/1"}));
  EXPECT_EQ(seat({pool, {}}, "x", 3, 0, false)->front(), "a/0");
  EXPECT_EQ(seat({pool, {}}, "x", 14, 0, false)->size(), 14U);
  EXPECT_FALSE(seat({pool, {}}, "x", 15, 0, false));
  EXPECT_EQ(*seat({pool, {}}, "x", 4, 2, false), (std::vector<std::string>{"b/0", "b/1", "a/0", "a/1"}));
  EXPECT_FALSE(seat({pool, {}}, "x", 12, 2, false));
}

TEST(Simulation, RandomJobsNeverShareACardAndDecisionsRepeat) {
  std::mt19937 random(13);
  std::set<std::string> leased;
  std::vector<std::vector<std::string>> running;
  for (int step = 0; step < 3000; ++step) {
    if (!running.empty() && random() % 3 == 0) {
      std::size_t victim = random() % running.size();
      for (const std::string& card : running[victim]) EXPECT_EQ(leased.erase(card), 1U);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    JobSpec job = job_for(1 + random() % 9);
    job.policy = std::vector<Policy>{Policy::kCheapest, Policy::kFastest, Policy::kDomesticOnly}[random() % 3];
    Decision decision = decide_for(job, leased);
    EXPECT_EQ(base::to_string(to_json(decision, base::Language::kEnglish)),
              base::to_string(to_json(decide_for(job, leased), base::Language::kEnglish)));
    for (const Candidate& candidate : decision.candidates) EXPECT_FALSE(candidate.reason.empty());
    if (decision.status != Decision::Status::kPlaced) continue;
    ASSERT_EQ(decision.cards.size(), static_cast<std::size_t>(job.card_count));
    for (const std::string& card : decision.cards) EXPECT_TRUE(leased.insert(card).second) << card;
    running.push_back(decision.cards);
  }
}

}  // namespace
}  // namespace starbridge::sched
