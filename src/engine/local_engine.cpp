#include "engine/local_engine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "engine/process_tree.h"

namespace starbridge::engine {

using base::text;

namespace {

// True while a supervisor holds the folder's lock.
bool is_locked(const JobFolder& folder) {
  int lock = ::open(folder.lock_path().c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  bool is_held = ::flock(lock, LOCK_EX | LOCK_NB) != 0;
  ::close(lock);
  return is_held;
}

}  // namespace

base::Status LocalEngine::start(const std::string& job_id, const Launch& launch) const {
  JobFolder folder = folder_of(job_id);
  SB_TRY_VOID(base::make_directories(folder.path()));
  SB_TRY_VOID(folder.write(launch));
  // Twice forked, so that the supervisor belongs to init and neither leaves a zombie here nor dies with the server.
  pid_t middle = ::fork();
  if (middle < 0)
    return base::Error("engine.cannot_start", text("no process could be made: {}", "无法创建进程：{}", std::strerror(errno)));
  if (middle == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    int null = ::open("/dev/null", O_RDWR);
    for (int descriptor : {0, 1, 2}) ::dup2(null, descriptor);
    ::execl("/proc/self/exe", "starbridge", "job-supervisor", folder.path().c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(middle, &status, 0) < 0 && errno == EINTR) {
  }
  return {};
}

JobStatus LocalEngine::status(const std::string& job_id) const {
  JobFolder folder = folder_of(job_id);
  JobStatus status;
  // The lock is asked before the exit record is read: a supervisor writes the record before it lets the lock go.
  bool is_alive = is_locked(folder);
  std::optional<StartRecord> start = folder.read_start();
  if (start) status.started_ms = start->started_ms;
  if (std::optional<ExitRecord> exit = folder.read_exit()) {
    status.phase = JobStatus::Phase::kEnded;
    status.exit = *exit;
  } else if (!start) {
    status.phase = JobStatus::Phase::kNotStarted;
  } else if (is_alive) {
    status.phase = start->process_pid > 0 ? JobStatus::Phase::kRunning : JobStatus::Phase::kPreparing;
  } else {
    status.phase = JobStatus::Phase::kLost;
    status.last_seen_ms = folder.last_heartbeat_ms().value_or(start->started_ms);
  }
  return status;
}

void LocalEngine::cancel(const std::string& job_id) const {
  std::optional<StartRecord> start = folder_of(job_id).read_start();
  if (!start) return;
  auto pid = static_cast<pid_t>(start->supervisor_pid);
  if (start_ticks(pid) == start->supervisor_start_ticks) ::kill(pid, SIGTERM);
}

}  // namespace starbridge::engine
