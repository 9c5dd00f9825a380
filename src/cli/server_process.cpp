#include "cli/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>

#include "api/console_page.h"
#include "api/http_server.h"
#include "base/files.h"
#include "base/json.h"
#include "pool/discovery.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::text;

constexpr int kWaitMs = 20;
constexpr int kStartPatienceMs = 15'000;

std::string lock_path(const std::string& home) { return home + "/server.lock"; }

struct Lock {
  int descriptor = -1;
  bool is_held = false;
  ~Lock() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

// Takes the folder's lock, and writes our pid into it for whoever is refused.
base::Status take_lock(const std::string& home, Lock& lock) {
  std::string path = lock_path(home);
  lock.descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock.descriptor < 0) return base::io_error(errno, text("cannot lock the folder", "无法锁定目录"), path);
  // Another command may be asking whether the lock is held, and holds it for that moment.
  constexpr int kTries = 10;
  bool is_taken = false;
  for (int attempt = 0; attempt < kTries && !is_taken; ++attempt) {
    if (attempt > 0) ::usleep(kWaitMs * 1000);
    is_taken = ::flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0;
  }
  if (!is_taken) {
    char pid[32] = {};
    ssize_t got = ::pread(lock.descriptor, pid, sizeof pid - 1, 0);
    return Error("api.server_runs", text("a server (pid {}) uses this folder already", "已有服务（进程 {}）在使用该目录",
                                         base::trim(std::string(pid, static_cast<std::size_t>(std::max<ssize_t>(got, 0))))))
        .at(home)
        .next(text("use it, stop it with starbridge down, or choose another folder with --home",
                   "直接使用它，用 starbridge down 停止，或用 --home 换目录"));
  }
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.descriptor, 0) != 0 || ::pwrite(lock.descriptor, pid.data(), pid.size(), 0) < 0) {
    return base::io_error(errno, text("cannot write the lock", "无法写入锁文件"), path);
  }
  lock.is_held = true;
  return {};
}

bool is_lock_held(const std::string& home) {
  int descriptor = ::open(lock_path(home).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool is_held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  ::close(descriptor);
  return is_held;
}

std::string make_token() {
  std::random_device random;
  std::string token;
  for (int word = 0; word < 8; ++word) token += fmt::format("{:08x}", random());
  return token;
}

base::Result<pool::Pool> choose_pool(const ServeRequest& request, const catalog::Catalog& catalog) {
  if (!request.pool_file.empty()) return pool::read_pool_file(request.pool_file, catalog);
  std::vector<std::string> warnings;
  base::Result<pool::Pool> pool = pool::pool_of_this_machine(catalog, &warnings);
  for (const std::string& warning : warnings)
    std::fprintf(stderr, "%s warning discovery %s\n", base::format_time(base::SystemClock().now_ms()).c_str(), warning.c_str());
  return pool;
}

}  // namespace

base::Status run_server(const ServeRequest& request) {
  SB_TRY_VOID(base::make_directories(request.home));
  Lock lock;
  SB_TRY_VOID(take_lock(request.home, lock));
  ::unlink((request.home + "/server.json").c_str());  // of a server that was killed: its pid may be another's by now
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(pool::Pool pool, choose_pool(request, catalog));
  base::SystemClock clock;
  SB_TRY(std::unique_ptr<api::Service> service, api::Service::open(request.home, std::move(catalog), std::move(pool), clock));
  return api::serve(*service, {request.host, request.port, request.home, make_token(), api::console_page()});
}

std::optional<std::string> running_server(const std::string& home) {
  // The record comes before the lock: a server that is just starting must not find its lock taken by this question.
  base::Result<base::Json> record = base::read_json(home + "/server.json");
  if (!record.ok() || !record->is_object() || !is_lock_held(home)) return std::nullopt;
  return record->value("address", "");
}

base::Result<std::string> start_daemon(const ServeRequest& request) {
  SB_TRY_VOID(base::make_directories(request.home));
  if (is_lock_held(request.home)) {
    Lock lock;
    base::Status refused = take_lock(request.home, lock);
    if (!refused.ok()) return std::move(refused).error();
  }
  ::unlink((request.home + "/server.json").c_str());  // left by a server that was killed
  std::string log_path = request.home + "/server.log";
  int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log < 0) return base::io_error(errno, text("cannot write the server's log", "无法写入服务日志"), log_path);
  // The reason of a failure comes back through a pipe: the log may be what cannot be written.
  int reason[2];
  if (::pipe2(reason, O_CLOEXEC) != 0) return base::io_error(errno, text("no process could be made", "无法创建进程"), request.home);
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child < 0) return base::io_error(errno, text("no process could be made", "无法创建进程"), request.home);
  if (child == 0) {
    ::setsid();
    int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    base::Status served = run_server(request);
    std::string said = served.ok() ? "" : served.error().code() + "\n" + served.error().render(base::Language::kEnglish);
    [[maybe_unused]] ssize_t written = ::write(reason[1], said.data(), said.size());
    ::_exit(served.ok() ? 0 : static_cast<int>(served.error().exit_code()));
  }
  ::close(reason[1]);
  ::close(log);
  for (int waited = 0; waited < kStartPatienceMs; waited += kWaitMs) {
    if (std::optional<std::string> address = running_server(request.home)) {
      ::close(reason[0]);
      return *address;
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) break;
    ::usleep(kWaitMs * 1000);
  }
  std::string said(16'384, '\0');
  ::fcntl(reason[0], F_SETFL, O_NONBLOCK);
  ssize_t got = ::read(reason[0], said.data(), said.size());
  ::close(reason[0]);
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::string code = said.substr(0, said.find('\n'));
  std::string why = base::sanitize_utf8(base::trim(said.substr(std::min(said.size(), code.size() + 1))));
  if (base::find_error_code(code) == nullptr) code = "api.refused";
  return Error(code, text("the server did not start: {}", "服务未能启动：{}", why)).at(log_path);
}

base::Result<bool> stop_server(const std::string& home) {
  if (!is_lock_held(home)) return false;
  base::Result<base::Json> record = base::read_json(home + "/server.json");
  std::int64_t pid = record.ok() && record->is_object() ? record->value("pid", std::int64_t{0}) : 0;
  if (pid <= 1 || ::kill(static_cast<pid_t>(pid), SIGTERM) != 0)
    return Error("api.refused", text("the server could not be told to stop", "无法通知服务停止")).at(home);
  for (int waited = 0; waited < kStartPatienceMs && is_lock_held(home); waited += kWaitMs) ::usleep(kWaitMs * 1000);
  return true;
}

}  // namespace starbridge::cli
