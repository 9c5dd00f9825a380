// starbridge up, down, and the hidden job-supervisor: the server's life.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/files.h"
#include "base/json.h"
#include "cli/frame.h"
#include "cli/server_process.h"
#include "engine/supervisor.h"

namespace starbridge::cli {

using base::ExitCode;
using base::text;

namespace {

struct UpOptions {
  std::string home;
  std::string pool_file;
  std::string listen = "127.0.0.1:7450";
  bool is_foreground = false;
};

base::Result<ServeRequest> request_of(const UpOptions& options) {
  ServeRequest request;
  request.home =
      std::filesystem::absolute(options.home.empty() ? base::home_directory() : options.home).lexically_normal().string();
  request.pool_file = options.pool_file;
  std::size_t colon = options.listen.rfind(':');
  std::string port = colon == std::string::npos ? "" : options.listen.substr(colon + 1);
  bool is_port =
      !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos && std::stol(port) <= 65535;
  if (!is_port || colon == 0) {
    return base::Error("base.usage",
                       text("\"{}\" is not ADDRESS:PORT", "“{}”不是 地址:端口", base::sanitize_utf8(options.listen)))
        .next(text("for example 127.0.0.1:7450", "例如 127.0.0.1:7450"));
  }
  request.host = options.listen.substr(0, colon);
  request.port = static_cast<unsigned short>(std::stol(port));
  return request;
}

base::Result<ExitCode> run_up(const Context& context, const UpOptions& options) {
  SB_TRY(ServeRequest request, request_of(options));
  if (options.is_foreground) {
    SB_TRY_VOID(run_server(request));
    return ExitCode::kDone;
  }
  std::optional<std::string> running = running_server(request.home);
  std::string address = running.value_or("");
  if (!running) {
    SB_TRY(address, start_daemon(request));
  }
  if (context.json) {
    context.print_json(
        {{"schema", "starbridge.up/1"}, {"address", address}, {"home", request.home}, {"was_running", running.has_value()}});
    return ExitCode::kDone;
  }
  context.out << (running ? context.say(text("StarBridge runs already at {}", "StarBridge 已在运行：{}", address))
                          : context.say(text("StarBridge runs at {}", "StarBridge 已启动：{}", address)))
              << "\n"
              << context.say(text("next: starbridge submit job.yaml", "下一步：starbridge submit job.yaml")) << "\n";
  return ExitCode::kDone;
}

base::Result<ExitCode> run_down(const Context& context, const std::string& home) {
  SB_TRY(bool was_running, stop_server(home.empty() ? base::home_directory() : home));
  if (context.json) {
    context.print_json({{"schema", "starbridge.down/1"}, {"was_running", was_running}});
  } else {
    context.out << (was_running ? context.say(text("stopped; running jobs go on", "已停止；运行中的作业不受影响"))
                                : context.say(text("no server was running", "没有运行中的服务")))
                << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace

void add_up_command(Frame& frame) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* up =
      frame.add("up", text("Start the server with its engine and the pool of this machine.", "启动服务、本地引擎与本机算力池。"),
                {"starbridge up", "starbridge up --pool pool.yaml --listen 127.0.0.1:0"});
  up->add_option(
      "--pool", options->pool_file,
      frame.say(text("pool file (default: real cards, else the emulated pool)", "算力池文件（默认：真实卡，否则仿真池）")));
  up->add_option("--home", options->home, frame.say(text("folder for the state", "状态目录")));
  up->add_option("--listen", options->listen,
                 frame.say(text("address and port; port 0 takes any", "地址与端口；端口 0 表示任意")))
      ->capture_default_str();
  up->add_flag("--foreground", options->is_foreground, frame.say(text("stay in the foreground", "在前台运行")));
  frame.on_run(up, [&frame, options] { return run_up(frame.context(), *options); });

  auto home = std::make_shared<std::string>();
  CLI::App* down = frame.add(
      "down", text("Stop the server; running jobs go on and are found again.", "停止服务；运行中的作业继续，重启后可找回。"),
      {"starbridge down"});
  down->add_option("--home", *home, frame.say(text("folder with the state", "状态目录")));
  frame.on_run(down, [&frame, home] { return run_down(frame.context(), *home); });

  auto folder = std::make_shared<std::string>();
  CLI::App* supervisor = frame.add("job-supervisor", text("Used by the server for each job.", "由服务为每个作业调用。"), {});
  supervisor->group("");
  supervisor->add_option("FOLDER", *folder)->required();
  frame.on_run(supervisor, [folder]() -> base::Result<ExitCode> {
    return engine::supervise(*folder) == 0 ? ExitCode::kDone : ExitCode::kBug;
  });
}

}  // namespace starbridge::cli
