#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace starbridge::base {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    close_read();
    close_write();
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_read() { close_end(read_end); }
  void close_write() { close_end(write_end); }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<std::string> merged_environment(const ProcessSpec& spec) {
  std::vector<std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view assignment = *entry;
    std::string name(assignment.substr(0, assignment.find('=')));
    if (spec.environment.find(name) == spec.environment.end()) merged.emplace_back(assignment);
  }
  for (const auto& [name, value] : spec.environment) {
    if (value) merged.push_back(name + "=" + *value);
  }
  return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& entry : texts) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  return pointers;
}

Error cannot_start(const ProcessSpec& spec, const std::string& why) {
  std::string program = spec.arguments.empty() ? "" : spec.arguments[0];
  return Error("base.cannot_start_program", text("cannot start \"{}\": {}", "无法启动“{}”：{}", program, why))
      .next(text("install it or put it on PATH", "请安装该程序或把它加入 PATH"));
}

// In the child: only async-signal-safe calls until exec. Reports errno through `failure_end`.
[[noreturn]] void become(const char* program, char** arguments, char** environment, const char* folder, int in, int out, int err,
                         int failure_end) {
  ::setpgid(0, 0);
  bool ready = ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(err, 2) >= 0 && (*folder == '\0' || ::chdir(folder) == 0);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (ready) ::execve(program, arguments, environment);
  int failure = errno;
  [[maybe_unused]] ssize_t told = ::write(failure_end, &failure, sizeof failure);
  ::_exit(127);
}

class Pump {
 public:
  Pump(const ProcessSpec& spec, ProcessResult& result) : spec_(spec), result_(result) {}

  // Moves bytes until both outputs are closed or the time is over (then the group is killed and the rest is read).
  void run(pid_t child, Pipe& in, Pipe& out, Pipe& err) {
    using Steady = std::chrono::steady_clock;
    auto deadline = Steady::now() + std::chrono::milliseconds(spec_.timeout_ms);
    ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
    if (spec_.input.empty()) in.close_write();
    while (out.read_end >= 0 || err.read_end >= 0) {
      int wait_ms = -1;
      if (spec_.timeout_ms > 0) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now()).count();
        if (left <= 0 && !result_.timed_out) {
          result_.timed_out = true;
          ::kill(-child, SIGKILL);
        }
        wait_ms = result_.timed_out ? kDrainMs : static_cast<int>(left) + 1;
      }
      std::array<pollfd, 3> watched = {pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0},
                                       pollfd{in.write_end, POLLOUT, 0}};
      int ready = ::poll(watched.data(), watched.size(), wait_ms);
      if (ready < 0 && errno != EINTR) break;
      if (ready == 0 && result_.timed_out) break;  // a grandchild that left the group may still hold the pipe
      if (ready <= 0) continue;
      if (watched[0].revents != 0) read_from(out, result_.out, true);
      if (watched[1].revents != 0) read_from(err, result_.err, false);
      if (watched[2].revents != 0) write_to(in);
    }
  }

 private:
  static constexpr int kDrainMs = 200;

  void read_from(Pipe& pipe, std::string& captured, bool is_output) {
    std::array<char, 65536> piece;
    ssize_t got = ::read(pipe.read_end, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return pipe.close_read();
    std::string_view text(piece.data(), static_cast<std::size_t>(got));
    if (is_output && spec_.on_output) spec_.on_output(text);
    std::size_t room = spec_.captured_bytes_max - std::min(spec_.captured_bytes_max, captured.size());
    if (text.size() > room) result_.truncated = true;
    captured.append(text.substr(0, room));
  }

  void write_to(Pipe& pipe) {
    ssize_t put = ::write(pipe.write_end, spec_.input.data() + given_, spec_.input.size() - given_);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put > 0) given_ += static_cast<std::size_t>(put);
    if (put < 0 || given_ == spec_.input.size()) pipe.close_write();
  }

  const ProcessSpec& spec_;
  ProcessResult& result_;
  std::size_t given_ = 0;
};

}  // namespace

std::optional<std::string> find_program(const std::string& program) {
  auto is_executable = [](const std::string& path) {
    std::error_code failure;
    return ::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, failure);
  };
  if (program.find('/') != std::string::npos) return is_executable(program) ? std::optional(program) : std::nullopt;
  const char* value = std::getenv("PATH");
  std::string_view path = value != nullptr ? value : "/usr/local/bin:/usr/bin:/bin";
  while (!path.empty()) {
    std::size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + program;
    if (is_executable(candidate)) return candidate;
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
  }
  return std::nullopt;
}

Result<ProcessResult> run_process(const ProcessSpec& spec) {
  if (spec.arguments.empty()) return cannot_start(spec, "no program is named");
  std::optional<std::string> program = find_program(spec.arguments[0]);
  if (!program) return cannot_start(spec, "it was not found or is not executable");
  // A relative program is resolved against the caller's folder, not the child's.
  if (program->front() != '/') program = std::filesystem::absolute(*program).string();

  Pipe in, out, err, failure;
  if (!in.open() || !out.open() || !err.open() || !failure.open()) return cannot_start(spec, std::strerror(errno));
  std::vector<std::string> arguments = spec.arguments;
  std::vector<std::string> environment = merged_environment(spec);
  std::vector<char*> argument_pointers = pointers_to(arguments);
  std::vector<char*> environment_pointers = pointers_to(environment);

  auto started = std::chrono::steady_clock::now();
  struct sigaction ignore{}, previous{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &previous);  // a child that does not read its input must not end us
  pid_t child = ::fork();
  if (child < 0) return cannot_start(spec, std::strerror(errno));
  if (child == 0) {
    become(program->c_str(), argument_pointers.data(), environment_pointers.data(), spec.working_directory.c_str(), in.read_end,
           out.write_end, spec.merge_output ? out.write_end : err.write_end, failure.write_end);
  }
  ::setpgid(child, child);
  in.close_read();
  out.close_write();
  err.close_write();
  failure.close_write();

  int failure_errno = 0;
  ssize_t told;
  do {
    told = ::read(failure.read_end, &failure_errno, sizeof failure_errno);
  } while (told < 0 && errno == EINTR);
  ProcessResult result;
  if (told <= 0) Pump(spec, result).run(child, in, out, err);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGPIPE, &previous, nullptr);
  if (told > 0) return cannot_start(spec, std::strerror(failure_errno));
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace starbridge::base
