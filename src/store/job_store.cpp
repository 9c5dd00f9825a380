#include "store/job_store.h"

#include "base/json.h"

namespace starbridge::store {

using base::Error;
using base::Status;
using base::text;

namespace {

Value optional_value(const std::optional<std::int64_t>& value) { return value ? Value(*value) : Value(nullptr); }

constexpr const char* kJobColumns =
    "SELECT id, name, state, reason, spec, verdicts, decision, chip, exit_code, submitted_ms, started_ms, ended_ms FROM jobs ";

JobRow job_of(const Row& row) {
  return {row.text(0),
          row.text(1),
          row.text(2),
          row.text(3),
          row.text(4),
          row.text(5),
          row.text(6),
          row.text(7),
          row.optional_integer(8),
          row.integer(9),
          row.optional_integer(10),
          row.optional_integer(11)};
}

}  // namespace

base::Result<std::vector<JobRow>> JobStore::select(const std::string& tail, const std::vector<Value>& parameters) {
  std::vector<JobRow> rows;
  SB_TRY_VOID(database_.run(kJobColumns + tail, parameters, [&](const Row& row) { rows.push_back(job_of(row)); }));
  return rows;
}

Status JobStore::add_event(const std::string& id, base::TimeMs at_ms, const std::string& state, const std::string& note) {
  return database_.run("INSERT INTO job_events (job_id, at_ms, state, note) VALUES (?1, ?2, ?3, ?4)", {id, at_ms, state, note});
}

base::Result<JobRow> JobStore::add(JobRow job, const std::string& idempotency_key) {
  std::optional<JobRow> existing;
  SB_TRY_VOID(database_.transact([&]() -> Status {
    if (!idempotency_key.empty()) {
      SB_TRY(std::vector<JobRow> same, select("WHERE idempotency_key = ?1", {idempotency_key}));
      if (!same.empty()) {
        if (same[0].spec != job.spec) {
          return Error("store.idempotency_mismatch",
                       text("the idempotency key was used for another job", "该幂等键已用于另一作业"))
              .next(text("send a new key", "请使用新的键"));
        }
        existing = same[0];
        return {};
      }
    }
    std::int64_t number = 0;
    SB_TRY_VOID(database_.run("SELECT coalesce(max(cast(substr(id, 5) AS INTEGER)), 0) + 1 FROM jobs", {},
                              [&](const Row& row) { number = row.integer(0); }));
    job.id = fmt::format("job-{:06}", number);
    job.state = "waiting";
    SB_TRY_VOID(database_.run(
        "INSERT INTO jobs (id, name, state, spec, verdicts, submitted_ms, idempotency_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        {job.id, job.name, job.state, job.spec, job.verdicts, job.submitted_ms,
         idempotency_key.empty() ? Value(nullptr) : Value(idempotency_key)}));
    return add_event(job.id, job.submitted_ms, "waiting", "");
  }));
  return existing ? *existing : job;
}

base::Result<JobRow> JobStore::find(const std::string& id) {
  SB_TRY(std::vector<JobRow> rows, select("WHERE id = ?1", {id}));
  if (rows.empty())
    return Error("store.no_job", text("there is no job \"{}\"", "没有作业“{}”", base::sanitize_utf8(id)))
        .next(text("see starbridge jobs", "请看 starbridge jobs"));
  return rows[0];
}

base::Result<std::vector<JobRow>> JobStore::list() { return select("ORDER BY submitted_ms DESC, id DESC", {}); }
base::Result<std::vector<JobRow>> JobStore::in_state(const std::string& state) {
  return select("WHERE state = ?1 ORDER BY submitted_ms, id", {state});
}

base::Result<std::vector<JobEvent>> JobStore::events(const std::string& id) {
  std::vector<JobEvent> events;
  SB_TRY_VOID(database_.run("SELECT at_ms, state, note FROM job_events WHERE job_id = ?1 ORDER BY id", {id},
                            [&](const Row& row) { events.push_back({row.integer(0), row.text(1), row.text(2)}); }));
  return events;
}

base::Result<std::vector<LeaseRow>> JobStore::leases(const std::string& job_id) {
  std::vector<LeaseRow> leases;
  std::string tail = job_id.empty() ? "" : " WHERE job_id = ?1";
  std::vector<Value> parameters;
  if (!job_id.empty()) parameters.emplace_back(job_id);
  SB_TRY_VOID(
      database_.run("SELECT job_id, chip, cards, open_ms, close_ms, price_micro_fen, discount_per_mille, speed_per_mille, "
                    "reference_price_micro_fen FROM leases" +
                        tail + " ORDER BY id",
                    parameters, [&](const Row& row) {
                      leases.push_back({row.text(0), row.text(1), row.text(2), row.integer(3), row.optional_integer(4),
                                        row.integer(5), row.integer(6), row.optional_integer(7), row.optional_integer(8)});
                    }));
  return leases;
}

base::Result<std::set<std::string>> JobStore::leased_cards() {
  std::set<std::string> cards;
  SB_TRY_VOID(database_.run("SELECT cards FROM leases WHERE close_ms IS NULL", {}, [&](const Row& row) {
    base::Json list = base::Json::parse(row.text(0), nullptr, false);
    for (const base::Json& card : list) cards.insert(card.get<std::string>());
  }));
  return cards;
}

Status JobStore::note_decision(const std::string& id, const std::string& decision, const std::string& reason) {
  return database_.run("UPDATE jobs SET decision = ?2, reason = ?3 WHERE id = ?1 AND state = 'waiting' AND decision <> ?2",
                       {id, decision, reason});
}

Status JobStore::start(const std::string& id, const std::string& decision, const LeaseRow& lease) {
  return database_.transact([&]() -> Status {
    SB_TRY_VOID(database_.run(
        "UPDATE jobs SET state = 'starting', reason = '', decision = ?2, chip = ?3 WHERE id = ?1 AND state = 'waiting'",
        {id, decision, lease.chip}));
    if (database_.changed_count() == 0) return {};  // it left the state meanwhile: no lease, no event
    SB_TRY_VOID(
        database_.run("INSERT INTO leases (job_id, chip, cards, open_ms, price_micro_fen, discount_per_mille, speed_per_mille, "
                      "reference_price_micro_fen) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                      {id, lease.chip, lease.cards, lease.open_ms, lease.price_micro_fen, lease.discount_per_mille,
                       optional_value(lease.speed_per_mille), optional_value(lease.reference_price_micro_fen)}));
    return add_event(id, lease.open_ms, "starting", lease.chip);
  });
}

Status JobStore::run(const std::string& id, base::TimeMs started_ms) {
  return database_.transact([&]() -> Status {
    SB_TRY_VOID(database_.run("UPDATE jobs SET state = 'running', started_ms = ?2 WHERE id = ?1 AND state = 'starting'",
                              {id, started_ms}));
    if (database_.changed_count() == 0) return {};
    return add_event(id, started_ms, "running", "");
  });
}

Status JobStore::end(const std::string& id, const std::string& state, const std::string& reason,
                     std::optional<std::int64_t> exit_code, base::TimeMs ended_ms) {
  return database_.transact([&]() -> Status {
    SB_TRY_VOID(
        database_.run("UPDATE jobs SET state = ?2, reason = ?3, exit_code = ?4, ended_ms = ?5 WHERE id = ?1 AND ended_ms IS NULL",
                      {id, state, reason, optional_value(exit_code), ended_ms}));
    if (database_.changed_count() == 0) return {};  // history is written once
    SB_TRY_VOID(
        database_.run("UPDATE leases SET close_ms = max(?2, open_ms) WHERE job_id = ?1 AND close_ms IS NULL", {id, ended_ms}));
    return add_event(id, ended_ms, state, reason);
  });
}

}  // namespace starbridge::store
