// JobStore: jobs, their history and their leases. Every change of a job's state and of its lease is one transaction. One thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace starbridge::store {

struct JobRow {
  std::string id;
  std::string name;
  std::string state;
  std::string reason;
  std::string spec;      // JSON of sched::JobSpec
  std::string verdicts;  // JSON
  std::string decision;  // JSON; empty before the first decision
  std::string chip;
  std::optional<std::int64_t> exit_code;
  base::TimeMs submitted_ms = 0;
  std::optional<base::TimeMs> started_ms;
  std::optional<base::TimeMs> ended_ms;
};

struct JobEvent {
  base::TimeMs at_ms = 0;
  std::string state;
  std::string note;
};

struct LeaseRow {
  std::string job_id;
  std::string chip;
  std::string cards;  // JSON list of card ids
  base::TimeMs open_ms = 0;
  std::optional<base::TimeMs> close_ms;
  std::int64_t price_micro_fen = 0;
  std::int64_t discount_per_mille = 0;
  std::optional<std::int64_t> speed_per_mille;
  std::optional<std::int64_t> reference_price_micro_fen;
};

class JobStore {
 public:
  explicit JobStore(Database& database) : database_(database) {}

  // Adds a job in state "waiting" under the next id ("job-000001"). A known idempotency key gives the job it was used for, unless
  // the spec differs. Errors: store.idempotency_mismatch.
  base::Result<JobRow> add(JobRow job, const std::string& idempotency_key);
  // Errors: store.no_job.
  base::Result<JobRow> find(const std::string& id);
  base::Result<std::vector<JobRow>> list();                              // newest first
  base::Result<std::vector<JobRow>> in_state(const std::string& state);  // oldest first
  base::Result<std::vector<JobEvent>> events(const std::string& id);
  base::Result<std::vector<LeaseRow>> leases(const std::string& job_id);  // all jobs when empty
  base::Result<std::set<std::string>> leased_cards();

  // Writes the decision of a job that goes on waiting.
  base::Status note_decision(const std::string& id, const std::string& decision, const std::string& reason);
  // waiting -> starting: opens the lease.
  base::Status start(const std::string& id, const std::string& decision, const LeaseRow& lease);
  // starting -> running.
  base::Status run(const std::string& id, base::TimeMs started_ms);
  // Any state -> an end state; closes the lease at `ended_ms` (never before it opened).
  base::Status end(const std::string& id, const std::string& state, const std::string& reason,
                   std::optional<std::int64_t> exit_code, base::TimeMs ended_ms);

 private:
  base::Status add_event(const std::string& id, base::TimeMs at_ms, const std::string& state, const std::string& note);
  base::Result<std::vector<JobRow>> select(const std::string& tail, const std::vector<Value>& parameters);

  Database& database_;
};

}  // namespace starbridge::store
