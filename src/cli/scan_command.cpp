// starbridge scan PATH [--to CHIPS]: what would not run on each chip, where and why.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/project_view.h"

namespace starbridge::cli {

using base::ExitCode;
using base::text;

namespace {

struct ScanOptions {
  std::string path;
  std::string chips = "ascend-910b3,mlu370-x8,iluvatar-bi-v150";
  bool shows_all = false;
};

constexpr std::size_t kFindingsShown = 12;

base::Result<ExitCode> run_scan(const Context& context, const ScanOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  std::vector<port::Target> targets;
  for (const std::string& name : split_commas(options.chips)) {
    SB_TRY(const catalog::Chip* chip, catalog.find_chip(name));
    targets.push_back(port::make_target(*chip));
  }
  if (targets.empty())
    return base::Error("base.usage", text("--to names no chip", "--to 没有给出芯片"))
        .next(text("see starbridge chips", "请看 starbridge chips"));
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  base::Progress progress(stderr, context.quiet || context.json);
  SB_TRY(port::ProjectReport report,
         port::scan_project(options.path, port::make_context(tables, targets), [&](std::size_t done, std::size_t total) {
           progress.update(context.say(text("scanning", "扫描")), done, total);
         }));
  progress.finish();
  if (context.json) {
    context.print_json(project_to_json(context, report));
    return ExitCode::kDone;
  }
  context.out << context.say(text("{} files, {} analysed, {} lines", "{} 个文件，分析 {} 个，共 {} 行", report.file_count,
                                  report.analyzed_file_count, report.line_count))
              << "\n\n";
  print_verdicts(context, report);
  print_findings(context, report.chips[0], options.shows_all ? 0 : kFindingsShown);
  print_cuda(context, report.cuda);
  context.out << "\n"
              << context.say(text("next: starbridge port {} --to {}", "下一步：starbridge port {} --to {}", options.path,
                                  targets[0].chip->id))
              << "\n";
  return ExitCode::kDone;
}

}  // namespace

void add_scan_command(Frame& frame) {
  auto options = std::make_shared<ScanOptions>();
  CLI::App* command = frame.add("scan",
                                text("Say for each chip whether a CUDA project runs there, and what stands in the way.",
                                     "逐芯片判断 CUDA 项目能否运行，并指出障碍。"),
                                {"starbridge scan ./my-project --to ascend-910b3,mlu370-x8"});
  command->add_option("PATH", options->path, frame.say(text("project folder or file", "项目目录或文件")))->required();
  command->add_option("--to", options->chips, frame.say(text("chips, separated by commas", "芯片，用逗号分隔")))
      ->capture_default_str();
  command->add_flag("--all", options->shows_all, frame.say(text("show every finding", "显示全部结果")));
  frame.on_run(command, [&frame, options] { return run_scan(frame.context(), *options); });
}

}  // namespace starbridge::cli
