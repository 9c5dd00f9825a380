// starbridge verify ORIGINAL PORT -- COMMAND: both executed on emulated devices, and their numbers compared.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/frame.h"
#include "port/apply.h"
#include "sched/decision.h"
#include "verify/verification.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Table;
using base::text;

namespace {

constexpr std::size_t kFilesListed = 20;

struct VerifyOptions {
  std::string original;
  std::string port;
  std::vector<std::string> command;
  std::string chip;
  std::string keep;
  std::string original_run;
  double tolerance = verify::Tolerance().relative;
  int timeout_s = 1800;
  std::uint32_t seed = 0;
};

std::string words_of(const Context& context, verify::FileUse use) {
  switch (use) {
    case verify::FileUse::kExecuted:
      return context.say(text("executed", "已执行"));
    case verify::FileUse::kImported:
      return context.say(text("imported", "已导入"));
    case verify::FileUse::kParsed:
      return context.say(text("parsed only", "仅解析"));
  }
  return "";
}

void print_comparison(const Context& context, const verify::Report& report) {
  Table table({{context.say(text("series", "序列"))},
               {context.say(text("values", "个数")), Table::Align::kRight},
               {context.say(text("largest difference", "最大差")), Table::Align::kRight},
               {context.say(text("relative", "相对")), Table::Align::kRight},
               {context.say(text("agrees", "一致"))}});
  auto yes_no = [&](bool agrees) {
    return agrees ? context.style.green(context.say(text("yes", "是"))) : context.style.red(context.say(text("no", "否")));
  };
  std::size_t reads = 0;
  double reads_difference_max = 0;
  for (const verify::SeriesComparison& row : report.series) {
    if (report.compares_reads && row.agrees()) {
      reads += row.original_count;
      reads_difference_max = std::max(reads_difference_max, row.difference_max);
      continue;  // a row per function that reads tensors would be a page of a test file
    }
    table.add_row({row.name, fmt::format("{}/{}", row.port_count, row.original_count), fmt::format("{:.3g}", row.difference_max),
                   fmt::format("{:.3g}", row.relative_max), yes_no(row.agrees())});
  }
  if (reads > 0) {
    table.add_row({context.say(text("read out of tensors", "从张量读取")), fmt::format("{0}/{0}", reads),
                   fmt::format("{:.3g}", reads_difference_max), "", yes_no(true)});
  }
  std::size_t agreeing = 0;
  double worst = 0;
  for (const verify::TensorComparison& row : report.tensors) {
    agreeing += row.agrees ? 1 : 0;
    worst = std::max(worst, row.absolute_max);
  }
  if (!report.tensors.empty()) {
    table.add_row({context.say(text("saved tensors", "保存的张量")), fmt::format("{}/{}", agreeing, report.tensors.size()),
                   fmt::format("{:.3g}", worst), "", yes_no(agreeing == report.tensors.size())});
  }
  if (table.row_count() > 0) context.out << table.render(context.style) << "\n";
}

// How far the run went into the project. In a large one most files are not reached: those are counted, not listed.
void print_files(const Context& context, const verify::Report& report) {
  const bool lists_all = report.files.size() <= kFilesListed;
  std::map<verify::FileUse, std::size_t> counts;
  std::size_t listed = 0;
  for (const auto& [path, use] : report.files) {
    ++counts[use];
    if (!lists_all && (use != verify::FileUse::kExecuted || listed == kFilesListed)) continue;
    ++listed;
    context.out << "  " << path << "  " << context.style.dim(words_of(context, use)) << "\n";
  }
  if (lists_all) return;
  context.out << "  "
              << context.say(text("{} Python files: {} executed, {} imported, {} parsed only (--json lists them)",
                                  "{} 个 Python 文件：{} 个已执行，{} 个已导入，{} 个仅解析（--json 列出全部）",
                                  report.files.size(), counts[verify::FileUse::kExecuted], counts[verify::FileUse::kImported],
                                  counts[verify::FileUse::kParsed]))
              << "\n";
}

void print_extensions(const Context& context, const verify::Report& report) {
  using verify::ExtensionState;
  if (report.original_extension.state == ExtensionState::kNone && report.port_extension.state == ExtensionState::kNone) return;
  if (report.original_extension.state == ExtensionState::kBuilt && report.port_extension.state == ExtensionState::kBuilt) {
    context.out << context.say(text("the extension was built for both emulated cards and loaded where the program imports it",
                                    "扩展已分别为两种仿真卡构建，由程序导入"))
                << "\n";
    return;
  }
  const bool is_original = report.original_extension.state == ExtensionState::kFailed;
  const verify::ExtensionBuild& failed = is_original ? report.original_extension : report.port_extension;
  context.out << context.style.yellow(is_original
                                          ? context.say(text("the original's extension does not build; both ran without it",
                                                             "原版的扩展无法构建，双方均在没有扩展的情况下运行"))
                                          : context.say(text("the port's extension does not build", "移植版的扩展无法构建")))
              << "\n"
              << failed.tail << "\n";
}

void print_report(const Context& context, const VerifyOptions& options, const catalog::Chip& chip, const verify::Report& report) {
  if (!report.series.empty() && !report.compares_reads) {
    const std::string& name = report.series[0].name;
    auto values = [&](const verify::Series& series) { return series.count(name) > 0 ? series.at(name) : std::vector<double>(); };
    std::string curves = verify::plot(values(report.original_series), values(report.port_series), 64, 12);
    if (!curves.empty())
      context.out << name << "  (o " << context.say(text("original", "原版")) << ", x " << context.say(text("port", "移植版"))
                  << ", * " << context.say(text("both", "重合")) << ")\n"
                  << curves << "\n";
  }
  print_comparison(context, report);
  print_files(context, report);
  print_extensions(context, report);
  context.out
      << "\n"
      << context.say(text(
             "emulated {}: {} operators executed, peak memory {:.1f} MiB, {} kinds of operator fell back to the CPU, {} refused",
             "仿真 {}：执行 {} 次算子，显存峰值 {:.1f} MiB，{} 种算子回退到 CPU，{} 种被拒绝", chip.name,
             report.executed_operator_count, static_cast<double>(report.peak_bytes) / (1 << 20), report.fell_back.size(),
             report.refused.size()))
      << "\n";
  for (const auto& [name, count] : report.fell_back) context.out << "  " << name << "  " << count << "\n";
  if (!report.port_tail.empty())
    context.out << "\n"
                << context.say(text("the end of the port's messages:", "移植版输出的末尾：")) << "\n"
                << report.port_tail << "\n";
  context.out << context.say(text("measured here: original {}, port {} (both on this machine's CPU)",
                                  "本机实测：原版 {}，移植版 {}（均在本机 CPU 上）", base::format_duration(report.original_ms),
                                  base::format_duration(report.port_ms)))
              << "\n";
  if (report.agrees) {
    context.out << context.style.green(
                       context.say(text("the port agrees with the original (relative tolerance {:g}, absolute 1e-4)",
                                        "移植版与原版一致（相对容差 {:g}，绝对容差 1e-4）", options.tolerance)))
                << "\n"
                << context.say(text("next: starbridge submit job.yaml", "下一步：starbridge submit job.yaml")) << "\n";
  } else {
    context.out << context.style.red(context.is_chinese() ? report.reason_zh : report.reason_en) << "\n";
  }
}

base::Result<ExitCode> run_verify(const Context& context, const VerifyOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  std::string chip_name = options.chip;
  if (chip_name.empty()) {
    base::Result<std::string> recorded = port::ported_chip(options.port);
    if (!recorded.ok())
      return std::move(recorded).error().while_doing(
          text("looking for the chip of the port (--to names it)", "查找移植的目标芯片（可用 --to 指明）"));
    chip_name = *recorded;
  }
  verify::Request request;
  SB_TRY(request.chip, catalog.find_chip(chip_name));
  SB_TRY(request.reference_chip, catalog.find_chip(sched::kReferenceChip));
  request.original = options.original;
  request.port = options.port;
  request.command = options.command;
  request.tolerance.relative = options.tolerance;
  request.timeout_ms = base::DurationMs{options.timeout_s} * 1000;
  request.keep_folder = options.keep;
  request.seed = options.seed;
  request.original_run = options.original_run;
  std::string who_shown;
  if (!context.quiet && !context.json) {
    request.on_output = [&](const std::string& who, std::string_view piece) {
      if (who != who_shown) context.err << context.error_style.bold("-- " + who) << "\n";
      who_shown = who;
      context.err << piece << std::flush;
    };
  }
  SB_TRY(verify::Report report, verify::verify(request));
  if (context.json) {
    base::Json json = {{"schema", "starbridge.verify/1"}, {"chip", request.chip->id}, {"relative_tolerance", options.tolerance}};
    base::Json body = verify::to_json(report);
    for (const auto& [key, value] : body.items()) json[key] = value;
    context.print_json(json);
  } else {
    print_report(context, options, *request.chip, report);
  }
  return report.agrees ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

}  // namespace

void add_verify_command(Frame& frame) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = frame.add("verify",
                                text("Run original and port on emulated devices and compare their numbers.",
                                     "在仿真设备上分别运行原版与移植版，并比较数值。"),
                                {"starbridge verify ./my-project ./my-project-ascend-910b3 -- python train.py --steps 50"});
  command->add_option("ORIGINAL", options->original, frame.say(text("original project", "原项目")))->required();
  command->add_option("PORT", options->port, frame.say(text("ported project", "移植后的项目")))->required();
  command
      ->add_option("COMMAND", options->command,
                   frame.say(text("what to run in both, after --", "在两边运行的命令，写在 -- 之后")))
      ->required();
  command->add_option("--to", options->chip,
                      frame.say(text("chip (default: the one the port was made for)", "芯片（默认：移植时的目标）")));
  command->add_option("--tolerance", options->tolerance, frame.say(text("relative tolerance", "相对容差")))
      ->capture_default_str();
  command->add_option("--timeout", options->timeout_s, frame.say(text("seconds each run may take", "每次运行的时限（秒）")))
      ->capture_default_str()
      ->check(CLI::Range(1, 864000));
  command
      ->add_option("--seed", options->seed,
                   frame.say(text("beginning of random numbers that the command leaves unseeded, in both runs",
                                  "命令未设定随机种子时，两次运行共用的随机数起点")))
      ->capture_default_str();
  command->add_option("--keep", options->keep, frame.say(text("keep both runs in this folder", "把两次运行保留在该目录")));
  command->add_option("--original-run", options->original_run,
                      frame.say(text("a folder of an earlier --keep with this command: its run of the original is used, e.g. for "
                                     "the next chip",
                                     "此前用同一命令 --keep 保存的目录：复用其中原版的运行，例如用于下一个芯片")));
  frame.on_run(command, [&frame, options] { return run_verify(frame.context(), *options); });
}

}  // namespace starbridge::cli
