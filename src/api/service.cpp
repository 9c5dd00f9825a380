#include "api/service.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "sched/decision.h"

namespace starbridge::api {

using base::Error;
using base::Json;
using base::Status;
using base::text;
using engine::JobStatus;

namespace {

// A supervisor that has not shown itself after this long never will.
constexpr base::DurationMs kStartPatienceMs = 10'000;
constexpr base::DurationMs kPlaceAgainMs = 5'000;
// Jobs that one pass tries to place.
constexpr std::size_t kWaitingTriedMax = 256;

base::Result<sched::Verdicts> verdicts_from_json(const Json& json) {
  sched::Verdicts verdicts;
  if (!json.is_object())
    return Error("base.wrong_field", text("the verdicts must be an object", "verdicts 应为对象")).in_field("verdicts");
  try {
    for (const auto& [chip, row] : json.items()) {
      verdicts[chip] = {row.at("is_runnable").get<bool>(),
                        row.at("has_open_findings").get<bool>(),
                        {row.value("words_en", ""), row.value("words_zh", "")}};
    }
    return verdicts;
  } catch (const Json::exception& failure) {
    return Error("base.wrong_field",
                 text("the verdicts are not complete: {}", "结论数据不完整：{}", base::sanitize_utf8(failure.what())))
        .in_field("verdicts");
  }
}

meter::Lease lease_of(const store::LeaseRow& row) {
  meter::Lease lease;
  lease.job_id = row.job_id;
  lease.chip = row.chip;
  lease.cards = Json::parse(row.cards).get<std::vector<std::string>>();
  lease.open_ms = row.open_ms;
  lease.close_ms = row.close_ms;
  lease.price = {row.price_micro_fen};
  lease.discount_per_mille = row.discount_per_mille;
  lease.speed_per_mille = row.speed_per_mille;
  if (row.reference_price_micro_fen) lease.reference_price = base::PricePerHour{*row.reference_price_micro_fen};
  return lease;
}

}  // namespace

bool is_end_state(const std::string& state) {
  return state == "finished" || state == "failed" || state == "cancelled" || state == "timed_out" || state == "lost";
}

Service::Service(std::string home, catalog::Catalog catalog, pool::Pool pool, const base::Clock& clock, store::Database database)
    : home_(std::move(home)),
      catalog_(std::move(catalog)),
      pool_(std::move(pool)),
      clock_(clock),
      database_(std::move(database)),
      store_(database_),
      engine_(home_ + "/jobs") {}

base::Result<std::unique_ptr<Service>> Service::open(const std::string& home, catalog::Catalog catalog, pool::Pool pool,
                                                     const base::Clock& clock) {
  SB_TRY_VOID(base::make_directories(home + "/jobs"));
  SB_TRY(store::Database database, store::Database::open(home + "/starbridge.db"));
  std::unique_ptr<Service> service(new Service(home, std::move(catalog), std::move(pool), clock, std::move(database)));
  SB_TRY_VOID(service->tick());
  return service;
}

Status Service::tick() {
  SB_TRY_VOID(follow_started_jobs());
  // Decisions are asked again when cards came free, and now and then because deadlines come nearer.
  base::TimeMs now = clock_.now_ms();
  if (!may_place_ && now >= placed_ms_ && now - placed_ms_ < kPlaceAgainMs) return {};
  placed_ms_ = now;
  return place_waiting_jobs();
}

Status Service::follow_started_jobs() {
  for (const char* state : {"starting", "running"}) {
    SB_TRY(std::vector<store::JobRow> rows, store_.in_state(state));
    for (const store::JobRow& row : rows) SB_TRY_VOID(follow(row));
  }
  return {};
}

Status Service::follow(const store::JobRow& row) {
  JobStatus status = engine_.status(row.id);
  switch (status.phase) {
    case JobStatus::Phase::kEnded:
      if (row.state == "starting" && status.started_ms > 0) SB_TRY_VOID(store_.run(row.id, status.started_ms));
      may_place_ = true;
      return store_.end(row.id, status.exit.outcome, status.exit.reason, status.exit.exit_code, status.exit.ended_ms);
    case JobStatus::Phase::kLost:
      engine_.kill_orphans(row.id);
      may_place_ = true;
      return store_.end(row.id, "lost", "its supervisor was killed", std::nullopt, status.last_seen_ms);
    case JobStatus::Phase::kRunning:
      return row.state == "starting" ? store_.run(row.id, status.started_ms) : Status();
    case JobStatus::Phase::kPreparing:
      return {};
    case JobStatus::Phase::kNotStarted: {
      SB_TRY(std::vector<store::LeaseRow> leases, store_.leases(row.id));
      base::TimeMs since = leases.empty() ? row.submitted_ms : leases.back().open_ms;
      // The server stopped between the database and the process. Starting again is safe: one supervisor per folder. Much later it
      // is not, because the lease would bill the time in between.
      base::Result<engine::Launch> launch = engine_.folder_of(row.id).read_launch();
      if (launch.ok() && clock_.now_ms() - since < kStartPatienceMs) return {};
      if (!leases.empty() && clock_.now_ms() - since < 2 * kStartPatienceMs) {
        if (launch.ok()) return engine_.start(row.id, *launch);
        SB_TRY(Json spec, base::parse_json(row.spec, row.id));
        SB_TRY(sched::JobSpec job, sched::job_from_json(spec));
        return engine_.start(row.id, launch_of(row.id, job, leases.back().chip, lease_of(leases.back()).cards));
      }
      engine_.cancel(row.id);  // should a supervisor come up after all, it ends at once
      may_place_ = true;
      return store_.end(row.id, "lost", "it was never started", std::nullopt, since);
    }
  }
  return {};
}

Status Service::place_waiting_jobs() {
  SB_TRY(std::vector<store::JobRow> rows, store_.in_state("waiting"));
  bool was_asked = may_place_;
  may_place_ = false;
  std::size_t tried = 0;
  for (const store::JobRow& row : rows) {
    if (++tried > kWaitingTriedMax) break;
    base::Result<bool> placed = place(row);
    if (!placed.ok()) {
      may_place_ = was_asked;  // a full disk, say: the next tick tries again
      return std::move(placed).error();
    }
  }
  return {};
}

base::Result<bool> Service::place(const store::JobRow& row) {
  SB_TRY(Json spec, base::parse_json(row.spec, row.id));
  SB_TRY(sched::JobSpec job, sched::job_from_json(spec));
  SB_TRY(Json verdict_json, base::parse_json(row.verdicts, row.id));
  SB_TRY(sched::Verdicts verdicts, verdicts_from_json(verdict_json));
  SB_TRY(std::set<std::string> leased, store_.leased_cards());
  sched::Decision decision = sched::decide(job, {pool_, leased}, catalog_, verdicts, clock_.now_ms());
  // Both languages are kept, because whoever asks later may want either.
  Json both = {{"en", sched::to_json(decision, base::Language::kEnglish)},
               {"zh", sched::to_json(decision, base::Language::kChinese)}};
  std::string decision_text = base::to_string(both, -1);
  if (decision.status != sched::Decision::Status::kPlaced) {
    SB_TRY_VOID(store_.note_decision(row.id, decision_text, decision.reason.en));
    return false;
  }
  const sched::Candidate* chosen = nullptr;
  for (const sched::Candidate& candidate : decision.candidates) {
    if (candidate.is_chosen) chosen = &candidate;
  }
  SB_CHECK(chosen != nullptr);
  store::LeaseRow lease;
  lease.job_id = row.id;
  lease.chip = decision.chip;
  lease.cards = base::to_string(Json(decision.cards), -1);
  lease.open_ms = clock_.now_ms();
  lease.price_micro_fen = chosen->price ? chosen->price->micro_fen : 0;
  lease.speed_per_mille = chosen->speed_per_mille;
  if (decision.reference && decision.reference->price) lease.reference_price_micro_fen = decision.reference->price->micro_fen;
  SB_TRY_VOID(store_.start(row.id, decision_text, lease));
  Status started = engine_.start(row.id, launch_of(row.id, job, decision.chip, decision.cards));
  if (!started.ok()) {
    may_place_ = true;
    SB_TRY_VOID(store_.end(row.id, "failed", started.error().render(base::Language::kEnglish), std::nullopt, clock_.now_ms()));
  }
  return true;
}

engine::Launch Service::launch_of(const std::string& job_id, const sched::JobSpec& job, const std::string& chip,
                                  const std::vector<std::string>& cards) const {
  engine::Launch launch{job.script, job.project, job.working_directory, chip, {}, false, job.environment, job.time_limit_ms};
  for (const std::string& id : cards) {
    const pool::Card* card = pool_.find_card(id);
    if (card == nullptr) continue;  // the pool file was changed since the lease was opened
    launch.card_indices.push_back(card->index);
    launch.is_emulated = launch.is_emulated || card->is_emulated;
  }
  std::sort(launch.card_indices.begin(), launch.card_indices.end());
  launch.card_indices.erase(std::unique(launch.card_indices.begin(), launch.card_indices.end()), launch.card_indices.end());
  launch.environment["STARBRIDGE_JOB_ID"] = job_id;
  return launch;
}

base::Result<Json> Service::submit(const Json& body, const std::string& idempotency_key, base::Language language) {
  if (!body.is_object() || !body.contains("job")) {
    return Error("base.wrong_field", text("the body needs the field \"job\"", "请求体缺少字段“job”")).in_field("job");
  }
  SB_TRY(sched::JobSpec job, sched::job_from_json(body["job"]));
  for (std::string& chip : job.chips) {
    SB_TRY(const catalog::Chip* known, catalog_.find_chip(chip));
    chip = known->id;
  }
  Json verdict_json = body.contains("verdicts") ? body["verdicts"] : Json::object();
  SB_TRY(sched::Verdicts verdicts, verdicts_from_json(verdict_json));
  sched::Decision decision = sched::decide(job, {pool_, {}}, catalog_, verdicts, clock_.now_ms());
  if (decision.status == sched::Decision::Status::kNoFit) {
    std::string reasons_en, reasons_zh;
    for (const sched::Candidate& candidate : decision.candidates) {
      reasons_en += "\n    " + candidate.chip + ": " + candidate.reason.en;
      reasons_zh += "\n    " + candidate.chip + "：" + candidate.reason.zh;
    }
    return Error("sched.no_fit", {decision.reason.en + reasons_en, decision.reason.zh + reasons_zh})
        .next(text("ask for other cards or loosen the policy", "请改变卡的要求或放宽策略"));
  }
  store::JobRow row;
  row.name = job.name;
  row.spec = base::to_string(sched::to_json(job), -1);
  row.verdicts = base::to_string(verdict_json, -1);
  row.submitted_ms = clock_.now_ms();
  SB_TRY(row, store_.add(std::move(row), idempotency_key));
  // Those who wait already were tried since cards last came free; only the new one has to be.
  if (may_place_) {
    SB_TRY_VOID(place_waiting_jobs());
  } else if (row.state == "waiting") {
    SB_TRY(bool is_placed, place(row));
    static_cast<void>(is_placed);
  }
  return this->job(row.id, language);
}

base::Result<Json> Service::job_json(const store::JobRow& row, base::Language language) {
  Json json = {{"id", row.id},
               {"name", row.name},
               {"state", row.state},
               {"reason", row.reason},
               {"chip", row.chip},
               {"submitted_at", base::format_time(row.submitted_ms)},
               {"submitted_ms", row.submitted_ms}};
  if (row.started_ms) json["started_ms"] = *row.started_ms;
  if (row.ended_ms) json["ended_ms"] = *row.ended_ms;
  if (row.exit_code) json["exit_code"] = *row.exit_code;
  if (!row.decision.empty()) {
    SB_TRY(Json decision, base::parse_json(row.decision, row.id));
    json["decision"] = decision[language == base::Language::kChinese ? "zh" : "en"];
  }
  return json;
}

base::Result<Json> Service::jobs() {
  SB_TRY(std::vector<store::JobRow> rows, store_.list());
  Json json = {{"schema", "starbridge.jobs/1"}, {"items", Json::array()}};
  for (store::JobRow& row : rows) {
    row.decision.clear();  // the list stays short; job() tells all
    SB_TRY(Json item, job_json(row, base::Language::kEnglish));
    json["items"].push_back(std::move(item));
  }
  return json;
}

base::Result<Json> Service::job(const std::string& id, base::Language language) {
  SB_TRY(store::JobRow row, store_.find(id));
  SB_TRY(Json json, job_json(row, language));
  SB_TRY(std::vector<store::JobEvent> events, store_.events(id));
  SB_TRY(std::vector<store::LeaseRow> leases, store_.leases(id));
  Json result = {{"schema", "starbridge.job/1"}};
  for (const auto& [key, value] : json.items()) result[key] = value;
  SB_TRY(result["spec"], base::parse_json(row.spec, id));
  result["events"] = Json::array();
  for (const store::JobEvent& event : events)
    result["events"].push_back({{"at_ms", event.at_ms}, {"state", event.state}, {"note", event.note}});
  result["leases"] = Json::array();
  for (const store::LeaseRow& lease : leases) result["leases"].push_back(meter::to_json(lease_of(lease)));
  return result;
}

base::Result<Json> Service::cancel(const std::string& id, base::Language language) {
  SB_TRY(store::JobRow row, store_.find(id));
  if (row.state == "waiting") {
    SB_TRY_VOID(store_.end(id, "cancelled", "cancelled by the user", std::nullopt, clock_.now_ms()));
  } else if (!is_end_state(row.state)) {
    engine_.cancel(id);
  }
  return job(id, language);
}

base::Result<std::string> Service::log(const std::string& id, std::size_t offset, std::size_t bytes_max) {
  SB_TRY(store::JobRow row, store_.find(id));
  int descriptor = ::open(engine_.folder_of(id).log_path().c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return std::string();
    return base::io_error(errno, text("cannot read the log", "无法读取日志"), row.id);
  }
  std::string piece(bytes_max, '\0');
  ssize_t got = ::pread(descriptor, piece.data(), piece.size(), static_cast<off_t>(std::min(offset, std::size_t{1} << 62)));
  ::close(descriptor);
  piece.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return piece;
}

base::Result<Json> Service::pool_state() {
  SB_TRY(std::set<std::string> leased, store_.leased_cards());
  return pool::to_json(pool_, leased);
}

base::Result<Json> Service::bill(const std::string& job_id) {
  if (!job_id.empty()) {
    SB_TRY(store::JobRow row, store_.find(job_id));
    static_cast<void>(row);
  }
  SB_TRY(std::vector<store::LeaseRow> rows, store_.leases(job_id));
  std::vector<meter::Lease> leases;
  std::map<std::string, std::string> names;
  for (const store::LeaseRow& row : rows) leases.push_back(lease_of(row));
  Json json = meter::to_json(meter::make_bill(std::move(leases), clock_.now_ms()));
  for (Json& line : json["lines"]) {
    SB_TRY(store::JobRow row, store_.find(line["job_id"].get<std::string>()));
    line["name"] = row.name;
  }
  return json;
}

Json Service::chips() const {
  Json json = {{"items", Json::array()}};
  for (const catalog::Chip& chip : catalog_.chips())
    json["items"].push_back({{"id", chip.id}, {"name", chip.name}, {"vendor", chip.vendor}});
  return json;
}

}  // namespace starbridge::api
