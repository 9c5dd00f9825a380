// starbridge submit FILE: a job in any of three dialects; with --dry-run the decision alone, without a server.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "cli/server_client.h"
#include "cli/submission.h"

namespace starbridge::cli {

using base::ExitCode;
using base::text;

namespace {

struct SubmitOptions {
  std::string path;
  std::string pool_file;
  bool is_dry_run = false;
};

base::Result<ExitCode> run_dry(const Context& context, const SubmitOptions& options, const catalog::Catalog& catalog) {
  SB_TRY(pool::Pool pool,
         options.pool_file.empty() ? pool::default_pool(catalog) : pool::read_pool_file(options.pool_file, catalog));
  SB_TRY(Submission submission, read_submission(context, options.path, catalog, pool));
  sched::Decision decision =
      sched::decide(submission.job, {pool, {}}, catalog, submission.verdicts, base::SystemClock().now_ms());
  if (context.json) {
    context.print_json(sched::to_json(decision, context.language));
  } else {
    print_decision(context, submission.job, decision, pool);
  }
  return decision.status == sched::Decision::Status::kNoFit ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

base::Result<ExitCode> run_submit(const Context& context, const SubmitOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  if (options.is_dry_run) return run_dry(context, options, catalog);
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(base::Json state, client.get("/api/v1/pool"));
  SB_TRY(pool::Pool pool, pool::pool_from_json(state));
  SB_TRY(Submission submission, read_submission(context, options.path, catalog, pool));
  SB_TRY(base::Json answer,
         client.post("/api/v1/jobs", {{"job", sched::to_json(submission.job)}, {"verdicts", to_json(submission.verdicts)}}));
  if (context.json) {
    context.print_json(answer);
    return ExitCode::kDone;
  }
  context.out << context.say(text("job {}: {}", "作业 {}：{}", answer.value("id", ""), answer.value("state", ""))) << "\n";
  if (answer.contains("decision")) {
    const base::Json& decision = answer["decision"];
    context.out << decision.value("chip", "") << ": " << decision.value("reason", "") << "\n";
    if (decision.contains("candidates")) {
      for (const base::Json& row : decision["candidates"]) {
        context.out << (row.value("is_chosen", false) ? "  * " : "    ") << row.value("chip", "") << ": "
                    << row.value("reason", "") << "\n";
      }
    }
  }
  context.out << context.say(text("next: starbridge logs -f {}", "下一步：starbridge logs -f {}", answer.value("id", "")))
              << "\n";
  return ExitCode::kDone;
}

}  // namespace

void add_submit_command(Frame& frame) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command = frame.add(
      "submit",
      text("Submit a job: native YAML, an sbatch script or a Kubernetes Job; the card is chosen and the choice explained.",
           "提交作业：原生 YAML、sbatch 脚本或 Kubernetes Job；自动选卡并说明理由。"),
      {"starbridge submit --dry-run job.yaml", "starbridge submit train.sbatch"});
  command->add_option("FILE", options->path, frame.say(text("job file", "作业文件")))->required();
  command->add_flag("--dry-run", options->is_dry_run,
                    frame.say(text("decide and explain only; needs no server", "只做决策与说明；不需要服务")));
  command->add_option("--pool", options->pool_file, frame.say(text("pool file for --dry-run", "--dry-run 使用的算力池文件")));
  frame.on_run(command, [&frame, options] { return run_submit(frame.context(), *options); });
}

}  // namespace starbridge::cli
