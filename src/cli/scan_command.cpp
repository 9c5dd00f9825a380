// starbridge scan PATH [--to CHIPS]: what would not run on each chip, where and why; as a table, a report or a check in CI.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "cli/project_view.h"
#include "port/telemetry.h"
#include "report/baseline.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/sarif.h"

namespace starbridge::cli {

using base::ExitCode;
using base::text;

namespace {

struct ScanOptions {
  std::string path;
  std::string chips = "ascend-910b3,mlu370-x8,iluvatar-bi-v150";
  std::string format = "table";
  std::string output;
  std::string baseline;
  std::string new_baseline;
  std::string since;
  std::string fail_on = "never";
  std::vector<std::string> telemetry;
  std::string rules;
  bool shows_all = false;
  bool has_no_cache = false;
};

constexpr std::size_t kFindingsShown = 12;
constexpr std::size_t kPrecisionShown = 6;

base::Result<std::vector<port::Target>> targets_of(const catalog::Catalog& catalog, const std::string& names) {
  std::vector<port::Target> targets;
  for (const std::string& name : split_commas(names)) {
    SB_TRY(const catalog::Chip* chip, catalog.find_chip(name));
    targets.push_back(port::make_target(*chip));
  }
  if (targets.empty())
    return base::Error("base.usage", text("--to names no chip", "--to 没有给出芯片"))
        .next(text("see starbridge chips", "请看 starbridge chips"));
  return targets;
}

// New findings of the given severity or above.
std::size_t count_new(const report::Report& report, port::Severity least) {
  std::size_t count = 0;
  for (const report::ChipSection& section : report.chips) {
    for (const report::Item& item : section.items) count += !item.is_known && item.finding.severity >= least ? 1 : 0;
  }
  return count;
}

std::string rendered(const Context& context, const ScanOptions& options, const report::Report& report) {
  if (options.format == "html") return report::to_html(report, context.language);
  if (options.format == "markdown") return report::to_markdown(report, context.language);
  if (options.format == "sarif") return base::to_string(report::to_sarif(report, context.language)) + "\n";
  return base::to_string(project_to_json(context, report)) + "\n";
}

void print_tables(const Context& context, const ScanOptions& options, const report::Report& report) {
  const port::ProjectReport& project = *report.project;
  context.out << context.say(text("{} files, {} analysed, {} lines", "{} 个文件，分析 {} 个，共 {} 行", project.file_count,
                                  project.analyzed_file_count, project.line_count))
              << "\n\n";
  print_verdicts(context, report);
  print_findings(context, report.chips[0], options.shows_all ? 0 : kFindingsShown);
  print_precision(context, report.chips[0], options.shows_all ? 0 : kPrecisionShown);
  print_cuda(context, project.cuda);
  context.out << "\n"
              << context.say(text("next: starbridge port {} --to {}", "下一步：starbridge port {} --to {}", options.path,
                                  project.chips[0].target.chip->id))
              << "\n";
}

base::Result<ExitCode> judge(const Context& context, const ScanOptions& options, const report::Report& report) {
  if (options.fail_on == "never") return ExitCode::kDone;
  port::Severity least = options.fail_on == "work"      ? port::Severity::kWork
                         : options.fail_on == "warning" ? port::Severity::kWarning
                                                        : port::Severity::kInfo;
  std::size_t count = count_new(report, least);
  if (count == 0) return ExitCode::kDone;
  context.note(text("{} findings of severity {} or above", "{} 条严重程度不低于 {} 的结果", count, options.fail_on));
  return ExitCode::kAnswerIsNo;
}

base::Status join_telemetry(const Context& context, const ScanOptions& options, port::ProjectReport& project) {
  std::vector<port::RuntimeCall> calls;
  for (const std::string& path : options.telemetry) {
    SB_TRY(std::vector<port::RuntimeCall> more, port::read_telemetry(path));
    calls.insert(calls.end(), more.begin(), more.end());
  }
  port::TelemetrySummary summary = port::join_telemetry(project, calls);
  context.note(text("run time: {} calls on {} lines of the project, {} of them unknown to the scan; {} calls elsewhere",
                    "运行时：项目中 {} 次调用，分布在 {} 行，其中 {} 行扫描未发现；其他位置 {} 次", summary.call_count,
                    summary.line_count, summary.unseen_count, summary.outside_count));
  return {};
}

base::Result<ExitCode> run_scan(const Context& context, const ScanOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(std::vector<port::Target> targets, targets_of(catalog, options.chips));
  report::ChangedLines changed;
  if (!options.since.empty()) {
    SB_TRY(changed, report::changed_since(options.path, options.since));
  }
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  port::Context port_context = port::make_context(tables, targets);
  port_context.today = base::format_time(base::SystemClock().now_ms()).substr(0, 10);
  port_context.uses_cache = !options.has_no_cache;
  if (!options.rules.empty()) {
    SB_TRY(port_context.rules, port::RuleSet::load(options.rules, port_context.rules.get()));
  }
  base::Progress progress(stderr, context.quiet || context.json);
  SB_TRY(port::ProjectReport project, port::scan_project(options.path, port_context, [&](std::size_t done, std::size_t total) {
           progress.update(context.say(text("scanning", "扫描")), done, total);
         }));
  progress.finish();
  if (project.reused_file_count > 0)
    context.note(text("{} of {} files are as in the last scan", "{}/{} 个文件与上次扫描相同", project.reused_file_count,
                      project.file_count));
  if (!options.telemetry.empty()) SB_TRY_VOID(join_telemetry(context, options, project));
  SB_TRY(catalog::PrecisionRules precision, catalog::PrecisionRules::load(catalog.data_dir()));
  report::Report report = report::build_report(project, &precision);
  if (!options.new_baseline.empty()) SB_TRY_VOID(report::write_baseline(report, options.new_baseline));
  if (!options.baseline.empty()) SB_TRY_VOID(report::apply_baseline(report, options.baseline));
  if (!options.since.empty()) report::keep_changed_lines(report, changed);
  if (context.json && options.format == "table") {
    context.print_json(project_to_json(context, report));
  } else if (options.format != "table" && options.output.empty()) {
    context.out << rendered(context, options, report);
  } else if (options.format != "table") {
    SB_TRY_VOID(base::write_file_atomically(options.output, rendered(context, options, report)));
    context.note(text("written to {}", "已写入 {}", options.output));
  } else {
    print_tables(context, options, report);
  }
  return judge(context, options, report);
}

}  // namespace

void add_scan_command(Frame& frame) {
  auto options = std::make_shared<ScanOptions>();
  CLI::App* command = frame.add(
      "scan",
      text("Say for each chip whether a CUDA project runs there, and what stands in the way.",
           "逐芯片判断 CUDA 项目能否运行，并指出障碍。"),
      {"starbridge scan ./my-project --to ascend-910b3,mlu370-x8", "starbridge scan ./my-project --format html -o report.html",
       "starbridge scan . --since origin/main --baseline known.json --fail-on work --format sarif -o scan.sarif"});
  command->add_option("PATH", options->path, frame.say(text("project folder or file", "项目目录或文件")))->required();
  command->add_option("--to", options->chips, frame.say(text("chips, separated by commas", "芯片，用逗号分隔")))
      ->capture_default_str();
  command->add_flag("--all", options->shows_all, frame.say(text("show every finding", "显示全部结果")));
  command->add_option("--format", options->format, frame.say(text("form of the result", "结果格式")))
      ->check(CLI::IsMember({"table", "json", "markdown", "html", "sarif"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, frame.say(text("file for the result", "结果文件")));
  command->add_option(
      "--telemetry", options->telemetry,
      frame.say(text("record of python -m starbridge_torch --telemetry, joined with the sources; may be given often",
                     "python -m starbridge_torch --telemetry 的记录，与源码合并；可多次给出")));
  command->add_option("--rules", options->rules,
                      frame.say(text("more rules: a file or folder (starbridge rules --help)",
                                     "更多规则：文件或目录（starbridge rules --help）")));
  command->add_option("--baseline", options->baseline,
                      frame.say(text("findings in this file are known and do not count", "该文件中的结果视为已知，不计入")));
  command->add_option("--write-baseline", options->new_baseline,
                      frame.say(text("write all findings of today as a baseline", "把当前全部结果写为基线")));
  command->add_option("--since", options->since,
                      frame.say(text("only lines changed since this git revision count", "只计自该 git 版本以来改动的行")));
  command
      ->add_option("--fail-on", options->fail_on,
                   frame.say(text("exit with 1 when there is a new finding of this severity or above",
                                  "存在不低于该严重程度的新结果时以 1 退出")))
      ->check(CLI::IsMember({"never", "info", "warning", "work"}))
      ->capture_default_str();
  command->add_flag("--no-cache", options->has_no_cache,
                    frame.say(text("read every file again, also those that did not change since the last scan",
                                   "重新读取所有文件，包括自上次扫描以来未改动的文件")));
  frame.on_run(command, [&frame, options] { return run_scan(frame.context(), *options); });
}

}  // namespace starbridge::cli
