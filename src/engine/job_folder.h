// JobFolder: the files by which server and supervisor talk about one job. They outlive both: what is not in the database yet
// can be read here after a crash. Any thread; blocking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace starbridge::engine {

// Variable of every process of a job, by which those of a lost job are found.
inline constexpr const char* kFolderVariable = "STARBRIDGE_JOB_FOLDER";

// launch.json: what the supervisor is to do.
struct Launch {
  std::string script;
  std::string project;            // ported into the job's folder first; empty: none
  std::string working_directory;  // relative to the project when there is one
  std::string chip;
  std::vector<int> card_indices;
  bool is_emulated = false;
  std::map<std::string, std::string> environment;
  base::DurationMs time_limit_ms = 0;
};

// start.json: who is doing it.
struct StartRecord {
  std::int64_t supervisor_pid = 0;
  std::int64_t supervisor_start_ticks = 0;  // field 22 of /proc/PID/stat: tells a reused pid apart
  std::int64_t process_pid = 0;             // 0 while the project is being ported
  base::TimeMs started_ms = 0;
};

// exit.json: how it ended.
struct ExitRecord {
  std::string outcome;  // finished | failed | cancelled | timed_out
  int exit_code = 0;
  std::string reason;
  base::TimeMs ended_ms = 0;
};

class JobFolder {
 public:
  explicit JobFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  std::string log_path() const { return path_ + "/log"; }
  std::string lock_path() const { return path_ + "/lock"; }
  std::string heartbeat_path() const { return path_ + "/heartbeat"; }
  std::string project_path() const { return path_ + "/project"; }
  std::string cancel_path() const { return path_ + "/cancel"; }

  base::Status write(const Launch& launch) const;
  base::Status write(const StartRecord& record) const;
  base::Status write(const ExitRecord& record) const;
  base::Result<Launch> read_launch() const;
  // nullopt: not written (yet), or not readable.
  std::optional<StartRecord> read_start() const;
  std::optional<ExitRecord> read_exit() const;
  // Time of the last sign of life of the supervisor; nullopt: none.
  std::optional<base::TimeMs> last_heartbeat_ms() const;
  void beat(base::TimeMs now_ms) const;

 private:
  std::string path_;
};

}  // namespace starbridge::engine
