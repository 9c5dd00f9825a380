// Decision: which cards a job gets, and why every other choice lost. Pure: no clock, no I/O; any thread; the same inputs give the
// same decision bit for bit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/money.h"
#include "pool/pool.h"
#include "sched/job.h"

namespace starbridge::sched {

// What the scan said about the project and a chip.
struct ChipVerdict {
  bool is_runnable = true;         // runs, or runs after the port
  bool has_open_findings = false;  // "needs work": only for jobs that accept it
  base::Text words;                // "runs after port"
};
// By chip id. A chip without an entry counts as runnable: jobs without a project are not scanned.
using Verdicts = std::map<std::string, ChipVerdict>;

// Speed beside an A100-80G in one thousandth, modelled: half of the time bound by 16-bit compute, half by memory bandwidth, both
// from the catalogue's chosen figures:  1 / (0.5 / compute ratio + 0.5 / bandwidth ratio). nullopt when a figure is missing.
std::optional<std::int64_t> modelled_speed_per_mille(const catalog::Chip& chip, const catalog::Catalog& catalog);

inline constexpr const char* kReferenceChip = "nvidia-a100-80g";
constexpr base::DurationMs kAssumedReferenceMs = 3'600'000;  // when the user gives no estimate

struct Candidate {
  std::string chip;
  std::int64_t pool_cards = 0;  // of this chip in the pool
  std::int64_t free_cards = 0;
  std::optional<std::int64_t> speed_per_mille;   // modelled
  std::optional<base::DurationMs> estimated_ms;  // modelled from the job's reference_ms
  std::optional<base::PricePerHour> price;       // per card
  std::optional<base::Fen> estimated_cost;
  bool is_eligible = false;  // could run the job on an empty pool
  bool is_chosen = false;
  base::Text reason;  // why it won or lost
};

struct Decision {
  enum class Status { kPlaced, kWaiting, kNoFit };
  Status status = Status::kNoFit;
  std::string chip;                // when placed, or what it waits for
  std::vector<std::string> cards;  // ids, when placed
  base::Text reason;
  std::vector<Candidate> candidates;   // by chip id
  std::optional<Candidate> reference;  // the same job on A100, whether the pool has one or not
  bool is_estimate_assumed = false;    // the job gave no estimate
};
std::string_view to_string(Decision::Status status);

// Chooses for `job`. `now_ms` matters to deadlines only.
Decision decide(const JobSpec& job, const pool::PoolSnapshot& snapshot, const catalog::Catalog& catalog, const Verdicts& verdicts,
                base::TimeMs now_ms);

base::Json to_json(const Decision& decision, base::Language language);

}  // namespace starbridge::sched
