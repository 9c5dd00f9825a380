// Service: what the server does, without HTTP: takes jobs, decides, starts, follows, bills. One thread; every call is short.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "engine/local_engine.h"
#include "meter/lease.h"
#include "pool/pool.h"
#include "sched/job.h"
#include "store/job_store.h"

namespace starbridge::api {

class Service {
 public:
  // Opens the state in `home` (made when missing) and takes up the jobs it finds there.
  static base::Result<std::unique_ptr<Service>> open(const std::string& home, catalog::Catalog catalog, pool::Pool pool,
                                                     const base::Clock& clock);

  // Follows running jobs and places waiting ones; called a few times a second and after every change.
  base::Status tick();

  // body: {job: JobSpec, verdicts: {...}}. The answer is the job as job() gives it.
  base::Result<base::Json> submit(const base::Json& body, const std::string& idempotency_key, base::Language language);
  base::Result<base::Json> jobs();
  base::Result<base::Json> job(const std::string& id, base::Language language);
  base::Result<base::Json> cancel(const std::string& id, base::Language language);
  // At most `bytes_max` bytes of the log from `offset`; empty at the end.
  base::Result<std::string> log(const std::string& id, std::size_t offset, std::size_t bytes_max);
  base::Result<base::Json> pool_state();
  base::Result<base::Json> bill(const std::string& job_id);
  base::Json chips() const;

 private:
  Service(std::string home, catalog::Catalog catalog, pool::Pool pool, const base::Clock& clock, store::Database database);
  base::Status follow_started_jobs();
  base::Status follow(const store::JobRow& row);
  base::Status place_waiting_jobs();
  base::Result<bool> place(const store::JobRow& row);
  engine::Launch launch_of(const std::string& job_id, const sched::JobSpec& job, const std::string& chip,
                           const std::vector<std::string>& cards) const;
  base::Result<base::Json> job_json(const store::JobRow& row, base::Language language);

  std::string home_;
  catalog::Catalog catalog_;
  pool::Pool pool_;
  const base::Clock& clock_;
  store::Database database_;
  store::JobStore store_;
  engine::LocalEngine engine_;
  bool may_place_ = true;       // cards came free since the waiting jobs were last tried
  base::TimeMs placed_ms_ = 0;  // when they were
};

bool is_end_state(const std::string& state);

}  // namespace starbridge::api
