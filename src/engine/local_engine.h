// LocalEngine: carries decisions out as processes of this machine, each under a supervisor of its own. One thread.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/job_folder.h"

namespace starbridge::engine {

// How a job stands, from its folder alone.
struct JobStatus {
  enum class Phase {
    kNotStarted,  // no supervisor has begun
    kPreparing,   // the project is being ported
    kRunning,
    kEnded,  // exit record present
    kLost,   // supervisor gone without a record
  };
  Phase phase = Phase::kNotStarted;
  base::TimeMs started_ms = 0;
  ExitRecord exit;                // kEnded
  base::TimeMs last_seen_ms = 0;  // kLost: last heartbeat
};

class LocalEngine {
 public:
  // `jobs_folder` holds one folder per job.
  explicit LocalEngine(std::string jobs_folder) : jobs_folder_(std::move(jobs_folder)) {}

  JobFolder folder_of(const std::string& job_id) const { return JobFolder(jobs_folder_ + "/" + job_id); }
  // Writes the launch file and starts a supervisor in a session of its own. Safe to repeat: one supervisor wins.
  // Errors: engine.cannot_start, base.* of writing.
  base::Status start(const std::string& job_id, const Launch& launch) const;
  JobStatus status(const std::string& job_id) const;
  // Asks the supervisor to end the whole tree: TERM, five seconds, KILL. Nothing happens when it has ended.
  void cancel(const std::string& job_id) const;
  // Kills what a lost job left running; its processes are known by the folder in their environment.
  void kill_orphans(const std::string& job_id) const;

 private:
  std::string jobs_folder_;
};

}  // namespace starbridge::engine
