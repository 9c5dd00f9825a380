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
    // Sockets are opened without close-on-exec: a job that held the listening one would keep the port of a killed server taken.
    ::close_range(3, ~0U, 0);
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
  std::optional<StartRecord> start = folder.read_start();
  // The lock is asked before the exit record is read: a supervisor writes the record before it lets the lock go. It is not asked
  // before a supervisor holds it, because asking takes it for a moment and would turn a beginning supervisor away.
  bool is_alive = start && is_locked(folder);
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
  JobFolder folder = folder_of(job_id);
  // The file reaches a supervisor that has not come up yet, the signal one that has.
  base::Status noted = base::write_file_atomically(folder.cancel_path(), "");
  static_cast<void>(noted.ok());  // on a full disk the signal must do
  std::optional<StartRecord> start = folder.read_start();
  if (!start) return;
  auto pid = static_cast<pid_t>(start->supervisor_pid);
  if (start_ticks(pid) == start->supervisor_start_ticks) ::kill(pid, SIGTERM);
}

void LocalEngine::kill_orphans(const std::string& job_id) const {
  std::string mark = std::string(kFolderVariable) + "=" + folder_of(job_id).path();
  for (pid_t pid : processes_with_environment(mark)) ::kill(pid, SIGKILL);
}

}  // namespace starbridge::engine
