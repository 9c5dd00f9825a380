#include "sched/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/json.h"
#include "sched/filters.h"
#include "sched/placement.h"

namespace starbridge::sched {
namespace {

using base::Json;
using base::text;

std::optional<double> peak16(const catalog::Chip& chip) {
  std::optional<double> bf16 = chip.peak_tflops("bf16");
  return bf16 ? bf16 : chip.peak_tflops("fp16");
}

void estimate(const JobSpec& job, const catalog::Chip& chip, const catalog::Catalog& catalog, Candidate& candidate) {
  candidate.chip = chip.id;
  candidate.speed_per_mille = modelled_speed_per_mille(chip, catalog);
  if (const catalog::PriceRow* row = catalog.prices().chosen(chip.id)) candidate.price = row->price;
  if (candidate.speed_per_mille && *candidate.speed_per_mille > 0) {
    base::DurationMs reference_ms = job.reference_ms > 0 ? job.reference_ms : kAssumedReferenceMs;
    candidate.estimated_ms = (reference_ms * 1000 + *candidate.speed_per_mille / 2) / *candidate.speed_per_mille;
  }
  if (candidate.estimated_ms && candidate.price)
    candidate.estimated_cost = base::rate_fen(*candidate.price, job.card_count, *candidate.estimated_ms, 0);
}

// Order of preference as a tuple; smaller is better. Unknown figures come after known ones, ties go to the chip id.
struct Preference {
  std::int64_t first;
  std::int64_t second;
  std::string chip;
  bool operator<(const Preference& other) const {
    return std::tie(first, second, chip) < std::tie(other.first, other.second, other.chip);
  }
};

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

Preference prefer(const JobSpec& job, const Candidate& candidate, base::TimeMs now_ms) {
  std::int64_t cost = candidate.estimated_cost ? candidate.estimated_cost->value : kUnknown;
  std::int64_t time = candidate.estimated_ms.value_or(kUnknown);
  switch (job.policy) {
    case Policy::kFastest:
      return {time, cost, candidate.chip};
    case Policy::kDeadline: {
      bool meets = candidate.estimated_ms && now_ms + *candidate.estimated_ms <= job.deadline_ms;
      return meets ? Preference{0, cost, candidate.chip} : Preference{1, time, candidate.chip};
    }
    case Policy::kCheapest:
    case Policy::kDomesticOnly:
      return {cost, time, candidate.chip};
  }
  return {cost, time, candidate.chip};
}

std::string yuan(const std::optional<base::Fen>& amount) { return amount ? base::format_yuan(*amount) : "?"; }
std::string duration(const std::optional<base::DurationMs>& ms) { return ms ? base::format_duration(*ms) : "?"; }

base::Text losing_reason(const JobSpec& job, const Candidate& loser, const Candidate& winner, base::TimeMs now_ms) {
  if (job.policy == Policy::kFastest) {
    if (!loser.estimated_ms) return text("its speed is not known", "速度未知");
    return text("slower: {} against {} (modelled)", "较慢：{}，优胜者为 {}（模型估计）", duration(loser.estimated_ms),
                duration(winner.estimated_ms));
  }
  if (job.policy == Policy::kDeadline) {
    bool loser_meets = loser.estimated_ms && now_ms + *loser.estimated_ms <= job.deadline_ms;
    bool winner_meets = winner.estimated_ms && now_ms + *winner.estimated_ms <= job.deadline_ms;
    if (winner_meets && !loser_meets)
      return text("misses the deadline: would take {} (modelled)", "赶不上截止时间：需 {}（模型估计）",
                  duration(loser.estimated_ms));
    if (!winner_meets)
      return text("later still: {} against {} (modelled)", "更晚：{}，优胜者为 {}（模型估计）", duration(loser.estimated_ms),
                  duration(winner.estimated_ms));
  }
  if (!loser.estimated_cost) return text("its price or speed is not known", "价格或速度未知");
  return text("dearer: {} yuan against {} (modelled time)", "较贵：{} 元，优胜者为 {} 元（时长为模型估计）",
              yuan(loser.estimated_cost), yuan(winner.estimated_cost));
}

base::Text winning_reason(const JobSpec& job, const Candidate& winner, base::TimeMs now_ms) {
  switch (job.policy) {
    case Policy::kFastest:
      return text("fastest: {} (modelled)", "最快：{}（模型估计）", duration(winner.estimated_ms));
    case Policy::kDeadline:
      if (winner.estimated_ms && now_ms + *winner.estimated_ms <= job.deadline_ms)
        return text("cheapest that meets the deadline: {} yuan", "能赶上截止时间者中最便宜：{} 元", yuan(winner.estimated_cost));
      return text("none meets the deadline; this one is the soonest", "无一能赶上截止时间；此为最早者");
    case Policy::kDomesticOnly:
      return text("cheapest domestic chip: {} yuan (modelled time)", "最便宜的国产芯片：{} 元（时长为模型估计）",
                  yuan(winner.estimated_cost));
    case Policy::kCheapest:
      return text("cheapest: {} yuan (modelled time)", "最便宜：{} 元（时长为模型估计）", yuan(winner.estimated_cost));
  }
  return {};
}

std::vector<Candidate> judge_all(const JobSpec& job, const pool::PoolSnapshot& snapshot, const catalog::Catalog& catalog,
                                 const Verdicts& verdicts) {
  std::map<std::string, Candidate> by_chip;
  for (const pool::Node& node : snapshot.pool.nodes) {
    for (const pool::Card& card : node.cards) {
      Candidate& candidate = by_chip[card.chip];
      candidate.pool_cards += 1;
      candidate.free_cards += snapshot.is_free(card) ? 1 : 0;
    }
  }
  std::vector<Candidate> candidates;
  for (auto& [id, candidate] : by_chip) {
    base::Result<const catalog::Chip*> chip = catalog.find_chip(id);
    SB_CHECK(chip.ok());  // pools are read against the same catalogue
    estimate(job, **chip, catalog, candidate);
    candidate.is_eligible = true;
    for (Filter filter : filters()) {
      std::optional<base::Text> reason = filter({job, **chip, snapshot, verdicts});
      if (!reason) continue;
      candidate.is_eligible = false;
      candidate.reason = *reason;
      break;
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace

std::optional<std::int64_t> modelled_speed_per_mille(const catalog::Chip& chip, const catalog::Catalog& catalog) {
  base::Result<const catalog::Chip*> reference = catalog.find_chip(kReferenceChip);
  if (!reference.ok()) return std::nullopt;
  std::optional<double> compute = peak16(chip);
  std::optional<double> reference_compute = peak16(**reference);
  std::optional<double> bandwidth = chip.memory_gbps();
  std::optional<double> reference_bandwidth = (*reference)->memory_gbps();
  bool is_known = compute && reference_compute && bandwidth && reference_bandwidth;
  if (!is_known || *compute <= 0 || *bandwidth <= 0) return std::nullopt;
  double speed = 1.0 / (0.5 * *reference_compute / *compute + 0.5 * *reference_bandwidth / *bandwidth);
  return std::llround(speed * 1000);
}

std::string_view to_string(Decision::Status status) {
  switch (status) {
    case Decision::Status::kPlaced:
      return "placed";
    case Decision::Status::kWaiting:
      return "waiting";
    case Decision::Status::kNoFit:
      return "no_fit";
  }
  return "no_fit";
}

Decision decide(const JobSpec& job, const pool::PoolSnapshot& snapshot, const catalog::Catalog& catalog, const Verdicts& verdicts,
                base::TimeMs now_ms) {
  SB_CHECK(job.card_count > 0);
  Decision decision;
  decision.is_estimate_assumed = job.reference_ms == 0;
  decision.candidates = judge_all(job, snapshot, catalog, verdicts);
  if (base::Result<const catalog::Chip*> reference = catalog.find_chip(kReferenceChip); reference.ok()) {
    decision.reference.emplace();
    estimate(job, **reference, catalog, *decision.reference);
  }

  Candidate* best = nullptr;       // among all eligible: what it would wait for
  Candidate* best_free = nullptr;  // among those with seats now
  std::vector<std::string> seats;
  for (Candidate& candidate : decision.candidates) {
    if (!candidate.is_eligible) continue;
    if (best == nullptr || prefer(job, candidate, now_ms) < prefer(job, *best, now_ms)) best = &candidate;
    auto own_seats = seat(snapshot, candidate.chip, job.card_count, job.node_count, false);
    if (!own_seats) continue;
    if (best_free == nullptr || prefer(job, candidate, now_ms) < prefer(job, *best_free, now_ms)) {
      best_free = &candidate;
      seats = *own_seats;
    }
  }
  if (best == nullptr) {
    decision.reason = text("no chip of the pool can take the job", "算力池中没有芯片能运行该作业");
    return decision;
  }
  Candidate& winner = best_free != nullptr ? *best_free : *best;
  winner.is_chosen = true;
  decision.chip = winner.chip;
  decision.status = best_free != nullptr ? Decision::Status::kPlaced : Decision::Status::kWaiting;
  winner.reason = winning_reason(job, winner, now_ms);
  decision.reason = winner.reason;
  if (best_free == nullptr) {
    decision.reason =
        text("waiting: {} of {} cards of {} are free, {} are needed", "等待中：{2} 共 {1} 张，空闲 {0} 张，需要 {3} 张",
             winner.free_cards, winner.pool_cards, winner.chip, job.card_count);
    winner.reason = decision.reason;
  }
  decision.cards = std::move(seats);
  for (Candidate& candidate : decision.candidates) {
    if (!candidate.is_eligible || candidate.is_chosen) continue;
    bool has_seats = seat(snapshot, candidate.chip, job.card_count, job.node_count, false).has_value();
    candidate.reason =
        has_seats ? losing_reason(job, candidate, winner, now_ms)
                  : text("busy: {} of {} are free", "繁忙：{1} 张中空闲 {0} 张", candidate.free_cards, candidate.pool_cards);
  }
  SB_CHECK(decision.status != Decision::Status::kPlaced || decision.cards.size() == static_cast<std::size_t>(job.card_count));
  return decision;
}

namespace {

Json candidate_json(const Candidate& candidate, base::Language language) {
  Json json = {{"chip", candidate.chip},
               {"pool_cards", candidate.pool_cards},
               {"free_cards", candidate.free_cards},
               {"is_eligible", candidate.is_eligible},
               {"is_chosen", candidate.is_chosen},
               {"reason", candidate.reason.in(language)}};
  if (candidate.speed_per_mille) json["modelled_speed_per_mille_of_a100"] = *candidate.speed_per_mille;
  if (candidate.estimated_ms) json["modelled_ms"] = *candidate.estimated_ms;
  if (candidate.price) json["price_micro_fen_per_card_hour"] = candidate.price->micro_fen;
  if (candidate.estimated_cost) json["modelled_cost_fen"] = candidate.estimated_cost->value;
  return json;
}

}  // namespace

Json to_json(const Decision& decision, base::Language language) {
  Json json = {{"schema", "starbridge.decision/1"},
               {"status", to_string(decision.status)},
               {"chip", decision.chip},
               {"cards", decision.cards},
               {"reason", decision.reason.in(language)},
               {"is_estimate_assumed", decision.is_estimate_assumed},
               {"candidates", Json::array()}};
  for (const Candidate& candidate : decision.candidates) json["candidates"].push_back(candidate_json(candidate, language));
  if (decision.reference) json["reference"] = candidate_json(*decision.reference, language);
  return json;
}

}  // namespace starbridge::sched
