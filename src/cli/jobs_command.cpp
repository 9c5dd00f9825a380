// starbridge jobs, job, logs, cancel: what runs and what it says.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

#include "base/clock.h"
#include "base/json.h"
#include "cli/frame.h"
#include "cli/server_client.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::Table;
using base::text;

namespace {

base::Text describe_state(const std::string& state) {
  static const std::vector<std::pair<std::string, base::Text>> states = {
      {"waiting", {"waiting", "等待"}},     {"starting", {"starting", "启动中"}},
      {"running", {"running", "运行中"}},   {"finished", {"finished", "完成"}},
      {"failed", {"failed", "失败"}},       {"cancelled", {"cancelled", "已取消"}},
      {"timed_out", {"timed out", "超时"}}, {"lost", {"lost", "丢失"}}};
  for (const auto& [name, words] : states) {
    if (name == state) return words;
  }
  return {state, state};
}

bool is_over(const std::string& state) { return state != "waiting" && state != "starting" && state != "running"; }

std::string duration_of(const Json& job) {
  if (!job.contains("started_ms")) return "";
  base::TimeMs end_ms = job.value("ended_ms", base::SystemClock().now_ms());
  return base::format_duration(end_ms - job["started_ms"].get<base::TimeMs>());
}

base::Result<ExitCode> run_jobs(const Context& context) {
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(Json jobs, client.get("/api/v1/jobs"));
  if (context.json) {
    context.print_json(jobs);
    return ExitCode::kDone;
  }
  Table table({{"id"},
               {context.say(text("name", "名称"))},
               {context.say(text("state", "状态"))},
               {context.say(text("chip", "芯片"))},
               {context.say(text("submitted", "提交时间"))},
               {context.say(text("duration", "时长")), Table::Align::kRight},
               {context.say(text("reason", "原因"))}});
  for (const Json& job : jobs["items"]) {
    table.add_row({job.value("id", ""), job.value("name", ""), context.say(describe_state(job.value("state", ""))),
                   job.value("chip", ""), job.value("submitted_at", ""), duration_of(job), job.value("reason", "")});
  }
  if (table.row_count() == 0) {
    context.out << context.say(
                       text("no jobs yet; next: starbridge submit job.yaml", "还没有作业；下一步：starbridge submit job.yaml"))
                << "\n";
  } else {
    context.out << table.render(context.style);
  }
  return ExitCode::kDone;
}

base::Result<ExitCode> run_job(const Context& context, const std::string& id) {
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(Json job, client.get("/api/v1/jobs/" + id));
  if (context.json) {
    context.print_json(job);
    return ExitCode::kDone;
  }
  context.out << context.style.bold(job.value("id", "")) << "  " << job.value("name", "") << "  "
              << context.say(describe_state(job.value("state", ""))) << "  " << duration_of(job) << "\n";
  if (!job.value("reason", "").empty()) context.out << "  " << job.value("reason", "") << "\n";
  if (job.contains("decision")) {
    context.out << "\n" << context.style.bold(context.say(text("why this card", "选卡理由"))) << "\n";
    for (const Json& row : job["decision"]["candidates"]) {
      context.out << (row.value("is_chosen", false) ? "  * " : "    ") << row.value("chip", "") << ": " << row.value("reason", "")
                  << "\n";
    }
    for (const Json& card : job["decision"]["cards"]) context.out << "      " << card.get<std::string>() << "\n";
  }
  context.out << "\n" << context.style.bold(context.say(text("history", "经过"))) << "\n";
  for (const Json& event : job["events"]) {
    context.out << "  " << base::format_time(event.value("at_ms", base::TimeMs{0})) << "  "
                << context.say(describe_state(event.value("state", ""))) << "  " << event.value("note", "") << "\n";
  }
  context.out << context.say(text("next: starbridge logs {}", "下一步：starbridge logs {}", id)) << "\n";
  return ExitCode::kDone;
}

base::Result<ExitCode> run_logs(const Context& context, const std::string& id, bool follows) {
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(Json job, client.get("/api/v1/jobs/" + id));
  std::string whole;
  std::size_t offset = 0;
  constexpr int kPollMs = 200;
  for (;;) {
    // The state is asked before the log, so that the last lines of a job that ends meanwhile are not missed.
    if (follows) {
      SB_TRY(job, client.get("/api/v1/jobs/" + id));
    }
    SB_TRY(std::string piece, client.get_text("/api/v1/jobs/" + id + "/log?offset=" + std::to_string(offset)));
    offset += piece.size();
    if (context.json) {
      whole += piece;
    } else {
      context.out << piece << std::flush;
    }
    if (!piece.empty()) continue;
    if (!follows || is_over(job.value("state", ""))) break;
    ::usleep(kPollMs * 1000);
  }
  if (context.json)
    context.print_json(
        {{"schema", "starbridge.log/1"}, {"id", id}, {"state", job.value("state", "")}, {"log", base::sanitize_utf8(whole)}});
  bool has_failed = follows && is_over(job.value("state", "")) && job.value("state", "") != "finished";
  if (has_failed)
    context.note(text("the job ended as {}: {}", "作业结束状态：{}，{}", job.value("state", ""), job.value("reason", "")));
  return has_failed ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

base::Result<ExitCode> run_cancel(const Context& context, const std::string& id) {
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(Json job, client.post("/api/v1/jobs/" + id + "/cancel", Json::object()));
  if (context.json) {
    context.print_json(job);
  } else if (job.value("state", "") == "cancelled" || !is_over(job.value("state", ""))) {
    context.out << context.say(text("{} is being cancelled", "正在取消 {}", id)) << "\n";
  } else {
    context.out << context.say(text("{} had ended already: {}", "{} 早已结束：{}", id, job.value("state", ""))) << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace

void add_jobs_command(Frame& frame) {
  CLI::App* jobs = frame.add("jobs", text("List the jobs, newest first.", "列出作业，最新在前。"), {"starbridge jobs"});
  frame.on_run(jobs, [&frame] { return run_jobs(frame.context()); });

  auto id = std::make_shared<std::string>();
  CLI::App* job =
      frame.add("job", text("Show one job: its state, why it has its card, its history.", "查看一个作业：状态、选卡理由与经过。"),
                {"starbridge job job-000001"});
  job->add_option("ID", *id, frame.say(text("job", "作业")))->required();
  frame.on_run(job, [&frame, id] { return run_job(frame.context(), *id); });

  auto follows = std::make_shared<bool>(false);
  CLI::App* logs = frame.add("logs", text("Print what a job wrote.", "输出作业日志。"), {"starbridge logs -f job-000001"});
  logs->add_option("ID", *id, frame.say(text("job", "作业")))->required();
  logs->add_flag("-f,--follow", *follows,
                 frame.say(text("go on until the job ends; exit 1 if it failed", "持续输出直到作业结束；失败时退出码为 1")));
  frame.on_run(logs, [&frame, id, follows] { return run_logs(frame.context(), *id, *follows); });

  CLI::App* cancel = frame.add("cancel", text("End a job and every process it started.", "结束作业及其启动的全部进程。"),
                               {"starbridge cancel job-000001"});
  cancel->add_option("ID", *id, frame.say(text("job", "作业")))->required();
  frame.on_run(cancel, [&frame, id] { return run_cancel(frame.context(), *id); });
}

}  // namespace starbridge::cli
