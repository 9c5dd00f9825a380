#include "engine/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "engine/job_cgroup.h"
#include "engine/job_folder.h"
#include "engine/process_tree.h"
#include "pool/emulated_device.h"
#include "port/apply.h"

extern char** environ;

namespace starbridge::engine {
namespace {

using base::text;

constexpr base::DurationMs kGraceMs = 5'000;  // between TERM and KILL
constexpr base::DurationMs kBeatMs = 1'000;
constexpr int kPollMs = 20;

volatile sig_atomic_t cancel_requested = 0;
void on_terminate(int) { cancel_requested = 1; }

class Supervisor {
 public:
  explicit Supervisor(const std::string& folder) : folder_(folder) {}

  int run() {
    int lock = ::open(folder_.lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0 || folder_.read_exit()) return 0;  // another one is at it, or was
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action {};
    action.sa_handler = on_terminate;
    ::sigaction(SIGTERM, &action, nullptr);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    log_ = ::open(folder_.log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    record_.supervisor_pid = ::getpid();
    record_.supervisor_start_ticks = start_ticks(::getpid()).value_or(0);
    record_.started_ms = clock_.now_ms();
    base::Status noted = folder_.write(record_);
    if (!noted.ok() || log_ < 0) return finish("failed", 0, "the job's folder cannot be written");
    base::Result<Launch> launch = folder_.read_launch();
    if (!launch.ok()) return finish("failed", 0, launch.error().render(base::Language::kEnglish));
    launch_ = std::move(launch).value();
    base::Status prepared = prepare();
    if (!prepared.ok()) {
      say(prepared.error().render(base::Language::kEnglish));
      return finish("failed", 0, prepared.error().message().en + " [" + prepared.error().code() + "]");
    }
    return start_and_wait();
  }

 private:
  void say(const std::string& line) const {
    std::string whole = "[starbridge] " + line + "\n";
    [[maybe_unused]] ssize_t written = ::write(log_, whole.data(), whole.size());
  }

  base::Status prepare() {
    working_directory_ = launch_.working_directory.empty() ? folder_.path() : launch_.working_directory;
    SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
    SB_TRY(const catalog::Chip* chip, catalog.find_chip(launch_.chip));
    if (!launch_.project.empty()) {
      SB_TRY_VOID(bring_project(catalog, *chip));
      working_directory_ = folder_.project_path() + (launch_.working_directory.empty() ? "" : "/" + launch_.working_directory);
    }
    base::Result<std::map<std::string, std::string>> device = pool::device_environment(
        {*chip, launch_.card_indices, launch_.is_emulated, folder_.path(), folder_.path() + "/device-report.json"});
    if (!device.ok()) {
      // A job that never touches PyTorch runs without the emulated device; one that does will say so itself.
      if (!launch_.is_emulated || device.error().code() != "pool.no_emulated_device") return std::move(device).error();
      say(device.error().render(base::Language::kEnglish));
      device = pool::device_environment({*chip, launch_.card_indices, false, folder_.path(), ""});
      if (!device.ok()) return std::move(device).error();
    }
    environment_ = std::move(device).value();
    for (const auto& [name, value] : launch_.environment) environment_[name] = value;
    environment_[kFolderVariable] = folder_.path();
    return {};
  }

  // A copy in the job's folder, ported when the chip needs it. The user's project is never written to.
  base::Status bring_project(const catalog::Catalog& catalog, const catalog::Chip& chip) {
    std::error_code failure;
    std::filesystem::remove_all(folder_.project_path(), failure);
    SB_TRY(port::Tables tables, port::Tables::load(catalog));
    SB_TRY(port::ProjectReport report,
           port::scan_project(launch_.project, port::make_context(tables, {port::make_target(chip)})));
    SB_TRY_VOID(port::write_copy(report, folder_.project_path()));
    say(fmt::format("project {} copied for {}: {} edits in {} files, {} open findings", launch_.project, chip.id,
                    report.chips[0].edit_count, report.chips[0].edited_file_count, report.chips[0].count(port::Severity::kWork)));
    return {};
  }

  [[noreturn]] void become() {
    ::setsid();
    cgroup_.enter();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // without its supervisor a job could be neither ended nor billed
    int null = ::open("/dev/null", O_RDONLY);
    bool ready = ::dup2(null, 0) >= 0 && ::dup2(log_, 1) >= 0 && ::dup2(log_, 2) >= 0 && ::chdir(working_directory_.c_str()) == 0;
    if (ready) {
      for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
      ::signal(SIGTERM, SIG_DFL);
      ::signal(SIGHUP, SIG_DFL);
      ::signal(SIGINT, SIG_DFL);
      ::execl("/bin/sh", "sh", "-c", launch_.script.c_str(), nullptr);
    }
    std::string failure = "[starbridge] cannot start in " + working_directory_ + ": " + std::strerror(errno) + "\n";
    [[maybe_unused]] ssize_t written = ::write(log_, failure.data(), failure.size());
    ::_exit(127);
  }

  int start_and_wait() {
    // Whoever cancelled before the start record was there could only leave a file.
    if (::access(folder_.cancel_path().c_str(), F_OK) == 0) cancel_requested = 1;
    if (cancel_requested != 0) return finish("cancelled", 0, "cancelled before it started");
    cgroup_ = JobCgroup::create("starbridge-job-" + std::to_string(::getpid()));
    child_ = ::fork();
    if (child_ < 0) return finish("failed", 0, std::string("no process could be made: ") + std::strerror(errno));
    if (child_ == 0) become();
    record_.process_pid = child_;
    record_.started_ms = clock_.now_ms();
    base::Status noted = folder_.write(record_);
    if (!noted.ok()) say("the start record cannot be written");
    folder_.beat(record_.started_ms);
    return watch();
  }

  // Waits for the job's own process; reaps its orphans meanwhile.
  int watch() {
    base::TimeMs last_beat = record_.started_ms;
    base::TimeMs kill_at = 0;  // when patience ends after TERM
    std::string outcome;
    int status = 0;
    for (bool is_running = true; is_running;) {
      int any_status = 0;
      pid_t reaped;
      while ((reaped = ::waitpid(-1, &any_status, WNOHANG)) > 0) {
        if (reaped == child_) {
          status = any_status;
          is_running = false;
        }
      }
      if (!is_running) break;
      base::TimeMs now = clock_.now_ms();
      bool is_over = launch_.time_limit_ms > 0 && now - record_.started_ms >= launch_.time_limit_ms;
      if (outcome.empty() && (cancel_requested != 0 || is_over)) {
        outcome = cancel_requested != 0 ? "cancelled" : "timed_out";
        signal_descendants(::getpid(), SIGTERM);
        kill_at = now + kGraceMs;
      }
      if (kill_at > 0 && now >= kill_at) kill_all();
      if (now - last_beat >= kBeatMs) {
        folder_.beat(now);
        last_beat = now;
      }
      ::usleep(kPollMs * 1000);
    }
    base::TimeMs ended_ms = clock_.now_ms();
    end_leftovers(outcome.empty() ? 0 : kill_at);
    if (outcome == "cancelled") return finish(outcome, exit_code_of(status), "cancelled by the user", ended_ms);
    if (outcome == "timed_out") return finish(outcome, exit_code_of(status), "its time limit passed", ended_ms);
    if (WIFSIGNALED(status))
      return finish("failed", exit_code_of(status), std::string("killed by signal ") + std::to_string(WTERMSIG(status)),
                    ended_ms);
    int code = WEXITSTATUS(status);
    return finish(code == 0 ? "finished" : "failed", code, code == 0 ? "" : "exit code " + std::to_string(code), ended_ms);
  }

  void kill_all() const {
    cgroup_.kill();
    signal_descendants(::getpid(), SIGKILL);
  }

  static int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

  // What the job left in the background must not hold the cards any longer: TERM, a moment, KILL.
  void end_leftovers(base::TimeMs kill_at) {
    if (descendants(::getpid()).empty()) return;
    signal_descendants(::getpid(), SIGTERM);
    base::TimeMs until = kill_at > 0 ? kill_at : clock_.now_ms() + kGraceMs;
    while (!descendants(::getpid()).empty()) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (clock_.now_ms() >= until) kill_all();
      ::usleep(kPollMs * 1000);
    }
  }

  int finish(const std::string& outcome, int exit_code, const std::string& reason, base::TimeMs ended_ms = 0) {
    ExitRecord record{outcome, exit_code, reason, ended_ms > 0 ? ended_ms : clock_.now_ms()};
    // A full disk may pass: the record is worth waiting for, because billing ends with it.
    constexpr int kTries = 600;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      if (folder_.write(record).ok()) return 0;
      ::usleep(1'000'000);
    }
    return 1;
  }

  JobFolder folder_;
  base::SystemClock clock_;
  Launch launch_;
  StartRecord record_;
  std::string working_directory_;
  std::map<std::string, std::string> environment_;
  int log_ = -1;
  JobCgroup cgroup_;
  pid_t child_ = -1;
};

}  // namespace

int supervise(const std::string& folder) { return Supervisor(folder).run(); }

}  // namespace starbridge::engine
