// starbridge kernel run|check FILE.cu [-- args]: a CUDA program executed on the emulated NVIDIA card.
// starbridge kernel check --explain RULE; starbridge kernel rules.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "cli/frame.h"
#include "cli/kernel_compare.h"
#include "cli/kernel_scan.h"
#include "kernel/program.h"
#include "kernel/rule.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;
using kernel::FindingSide;
using kernel::KernelFinding;

namespace {

struct KernelOptions {
  kernel::RunRequest request;
  std::string sarif;
  std::string explain;
  std::uint64_t seed = 0;
  int seeds = 1;
};

std::string side_words(const Context& context, const FindingSide& side) {
  std::string words = side.place.empty() ? context.say(text("unknown place", "位置未知")) : side.place.to_string();
  if (!side.block.empty())
    words += context.say(text("  block ({}) thread ({})", "  线程块 ({}) 线程 ({})", side.block, side.thread));
  if (!side.task.empty()) words += context.say(text("  task {} core {}", "  任务 {} 核 {}", side.task, side.core));
  return words;
}

void print_findings(const Context& context, const std::vector<KernelFinding>& findings) {
  for (const KernelFinding& finding : findings) {
    const std::string rule = finding.is_error ? context.style.red(finding.rule) : context.style.yellow(finding.rule);
    context.out << rule << "  " << finding.message.in(context.language);
    if (finding.count > 1) context.out << context.say(text("  ({} times)", "  （{} 次）", finding.count));
    context.out << "\n    " << side_words(context, finding.side);
    if (finding.other && finding.side.is_write != finding.other->is_write)
      context.out << "  " << context.say(finding.side.is_write ? text("write", "写") : text("read", "读"));
    context.out << "\n";
    if (finding.other) {
      context.out << "    " << side_words(context, *finding.other);
      if (finding.side.is_write != finding.other->is_write)
        context.out << "  " << context.say(finding.other->is_write ? text("write", "写") : text("read", "读"));
      context.out << "\n";
    }
    if (!finding.kernel.empty())
      context.out << "    " << context.style.dim(context.say(text("in kernel {}", "内核 {}", finding.kernel))) << "\n";
  }
}

Json report_json(const Context& context, const KernelOptions& options, const kernel::RunReport& report) {
  Json findings = Json::array();
  for (const KernelFinding& finding : report.findings) findings.push_back(kernel::to_json(finding, context.language));
  Json json = {{"schema", "starbridge.kernel_run/1"},
               {"program", options.request.path},
               {"card", report.card_name},
               {"emulated", true},
               {"checked", options.request.check},
               {"exit_code", report.exit_code},
               {"signal", report.signal},
               {"compile_ms", report.compile_ms},
               {"run_ms", report.run_ms},
               {"output", base::sanitize_utf8(report.output)},
               {"findings", findings}};
  if (options.request.seed) json["seed"] = *options.request.seed;
  return json;
}

void explain_end(const Context& context, const kernel::RunReport& report) {
  if (report.timed_out || report.signal != 0)
    context.err << context.say(text("the program was ended by signal {}", "程序被信号 {} 终止", report.signal)) << "\n";
  else if (report.exit_code != 0)
    context.err << context.say(text("the program ended with {}", "程序以 {} 结束", report.exit_code)) << "\n";
}

base::Result<ExitCode> run_once(const Context& context, KernelOptions& options, std::vector<KernelFinding>* all) {
  if (!context.json) {
    options.request.on_output = [&](std::string_view piece) { context.out << piece << std::flush; };
  }
  SB_TRY(kernel::RunReport report, kernel::run_program(options.request));
  if (all != nullptr) all->insert(all->end(), report.findings.begin(), report.findings.end());
  if (!options.sarif.empty())
    SB_TRY_VOID(base::write_file_atomically(
        options.sarif, base::to_string(kernel::to_sarif(report.findings, context.language, SB_VERSION)) + "\n"));
  if (context.json) {
    context.print_json(report_json(context, options, report));
  } else {
    print_findings(context, report.findings);
    explain_end(context, report);
    if (!context.quiet)
      context.err << context.error_style.dim(context.say(
                         text("{} (emulated): compiled in {}, ran {}", "{}（仿真）：编译 {}，运行 {}", report.card_name,
                              base::format_duration(report.compile_ms), base::format_duration(report.run_ms))))
                  << "\n";
    if (options.request.check && report.error_count() == 0 && report.ran_well())
      context.err << context.error_style.green(context.say(text("the checkers found nothing wrong", "检查未发现问题"))) << "\n";
    else if (options.request.check && report.error_count() > 0)
      context.err << context.say(text("next: starbridge kernel check --explain {}",
                                      "下一步：starbridge kernel check --explain {}",
                                      report.findings.empty() ? "" : report.findings[0].rule))
                  << "\n";
  }
  if (!report.ran_well()) return ExitCode::kAnswerIsNo;
  return options.request.check && report.error_count() > 0 ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

base::Error unknown_rule(const std::string& id) {
  std::vector<std::string> names;
  for (const kernel::Rule& each : kernel::rules()) names.emplace_back(each.id);
  base::Error error("kernel.unknown_rule", text("there is no rule \"{}\"", "没有规则 \"{}\"", id));
  std::string nearest = base::nearest_word(id, names);
  if (nearest.empty())
    return std::move(error).next(text("starbridge kernel rules lists them", "starbridge kernel rules 列出所有规则"));
  return std::move(error).next(text("did you mean {}?", "是否指 {}？", nearest));
}

base::Result<ExitCode> explain_rule(const Context& context, const std::string& id) {
  const kernel::Rule* rule = kernel::find_rule(id);
  if (rule == nullptr) return unknown_rule(id);
  if (context.json) {
    context.print_json({{"schema", "starbridge.kernel_rule/1"},
                        {"rule", rule->id},
                        {"severity", rule->is_error ? "error" : "note"},
                        {"title", rule->title.in(context.language)},
                        {"explanation", rule->explanation.in(context.language)},
                        {"wrong", rule->wrong},
                        {"right", rule->right}});
    return ExitCode::kDone;
  }
  context.out << context.style.bold(std::string(rule->id)) << "  " << rule->title.in(context.language) << "\n\n"
              << rule->explanation.in(context.language) << "\n";
  if (!rule->wrong.empty()) context.out << "\n  " << context.say(text("wrong", "错误")) << "  " << rule->wrong << "\n";
  if (!rule->right.empty()) context.out << "  " << context.say(text("right", "正确")) << "  " << rule->right << "\n";
  return ExitCode::kDone;
}

base::Result<ExitCode> run_check(const Context& context, KernelOptions& options) {
  if (!options.explain.empty()) return explain_rule(context, options.explain);
  if (options.request.path.empty())
    return base::Error(
        "base.usage", text("name the program to check, or a rule with --explain", "请给出要检查的程序，或用 --explain 指定规则"));
  for (const std::string& id : options.request.without) {
    if (kernel::find_rule(id) == nullptr) return unknown_rule(id);
  }
  options.request.check = true;
  ExitCode worst = ExitCode::kDone;
  for (int i = 0; i < options.seeds; ++i) {
    options.request.seed = options.seed + static_cast<std::uint64_t>(i);
    if (options.seeds > 1 && !context.json) context.err << context.say(text("seed {}", "种子 {}", *options.request.seed)) << "\n";
    SB_TRY(ExitCode code, run_once(context, options, nullptr));
    if (code != ExitCode::kDone) worst = code;
    if (worst != ExitCode::kDone) {
      if (!context.json && !context.quiet)
        context.err << context.say(text("the same order again: --seed {}", "重放同一顺序：--seed {}", *options.request.seed))
                    << "\n";
      break;
    }
  }
  return worst;
}

ExitCode list_rules(const Context& context) {
  if (context.json) {
    Json rows = Json::array();
    for (const kernel::Rule& rule : kernel::rules())
      rows.push_back(
          {{"rule", rule.id}, {"severity", rule.is_error ? "error" : "note"}, {"title", rule.title.in(context.language)}});
    context.print_json({{"schema", "starbridge.kernel_rules/1"}, {"rules", rows}});
    return ExitCode::kDone;
  }
  base::Table table({{context.say(text("rule", "规则"))},
                     {context.say(text("severity", "级别"))},
                     {context.say(text("what it finds", "发现什么"))}});
  for (const kernel::Rule& rule : kernel::rules())
    table.add_row({std::string(rule.id), context.say(rule.is_error ? text("error", "错误") : text("note", "提示")),
                   rule.title.in(context.language)});
  context.out << table.render(context.style);
  return ExitCode::kDone;
}

void add_options(Frame& frame, CLI::App* command, const std::shared_ptr<KernelOptions>& options, bool needs_path) {
  kernel::RunRequest& request = options->request;
  CLI::Option* path =
      command->add_option("PROGRAM", request.path,
                          frame.say(text(".cu, .mlu or .asc file, .cpp with Ascend C kernels, or folder of one program", ".cu、.mlu 或 .asc 文件、含 Ascend C 内核的 .cpp，或一个程序的目录")));
  if (needs_path) path->required();
  command->add_option("ARGUMENTS", request.arguments,
                      frame.say(text("the program's own arguments, after --", "程序自己的参数，写在 -- 之后")));
  command->add_option("--with", request.with, frame.say(text("a further source of the program", "程序的其他源文件")))
      ->allow_extra_args(false);
  command->add_option("-I,--include", request.includes, frame.say(text("folder of headers", "头文件目录")))
      ->allow_extra_args(false);
  command->add_option("-D,--define", request.defines, frame.say(text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE")))
      ->allow_extra_args(false);
  command->add_option("--std", request.standard, frame.say(text("C++ standard", "C++ 标准")))
      ->capture_default_str()
      ->check(CLI::IsMember({"c++14", "c++17", "c++20"}));
  command->add_option(
      "--card,--chip", request.card,
      frame.say(text("card to stand for: a100 (default for CUDA), h100, ...; mlu370-x8 (default for BANG C), mlu590, ...; ascend-910b3 (default for Ascend C), ascend-310p, ...",
                     "仿真的卡：a100（CUDA 默认）、h100 等；mlu370-x8（BANG C 默认）、mlu590 等；ascend-910b3（Ascend C 默认）、ascend-310p 等")));
  command->add_option("--time-limit", request.time_limit_s, frame.say(text("seconds the program may run", "程序运行时限（秒）")))
      ->capture_default_str()
      ->check(CLI::Range(1, 864000));
  command->add_option(
      "--memory", request.memory_mib,
      frame.say(text("MiB of memory on the card (default: half of this machine's)", "显存 MiB（默认：本机内存的一半）")));
  command->add_option("--sample", request.sample_blocks,
                      frame.say(text("run at most this many blocks of each grid", "每个网格最多执行的线程块数")));
  command->add_option("--keep", request.keep_folder,
                      frame.say(text("keep the compiled program in this folder", "把编译结果保留在该目录")));
  command->add_option("--in", request.working_directory, frame.say(text("folder the program runs in", "程序的工作目录")));
  command->add_flag("--fast-math", request.fast_math, frame.say(text("as nvcc --use_fast_math", "等同 nvcc --use_fast_math")));
}

}  // namespace

void add_kernel_command(Frame& frame) {
  CLI::App* group = frame.add(
      "kernel", text("Run and check CUDA, BANG C and Ascend C programs on an emulated card.", "在仿真卡上运行和检查 CUDA、BANG C 与 Ascend C 程序。"),
      {"starbridge kernel run saxpy.cu", "starbridge kernel check add.mlu --chip mlu370-x8 -- 1024"});
  group->require_subcommand(1);

  auto run = std::make_shared<KernelOptions>();
  CLI::App* run_command =
      frame.add("run", text("Run a CUDA, BANG C or Ascend C program on the emulated card.", "在仿真卡上运行 CUDA、BANG C 或 Ascend C 程序。"),
                {"starbridge kernel run saxpy.cu", "starbridge kernel run ./project -I include -- --size 1024"}, group);
  add_options(frame, run_command, run, true);
  frame.on_run(run_command, [&frame, run] { return run_once(frame.context(), *run, nullptr); });

  auto check = std::make_shared<KernelOptions>();
  CLI::App* check_command = frame.add(
      "check", text("Run it with every checker on, in an order drawn from a seed.", "打开所有检查，并按种子决定的顺序运行。"),
      {"starbridge kernel check reduce.cu", "starbridge kernel check reduce.cu --seeds 5 --sarif findings.sarif",
       "starbridge kernel check --explain shared-race"},
      group);
  add_options(frame, check_command, check, false);
  check_command
      ->add_option("--seed", check->seed, frame.say(text("the order of threads, lanes and blocks", "线程、warp 与线程块的顺序")))
      ->capture_default_str();
  check_command
      ->add_option("--seeds", check->seeds, frame.say(text("how many seeds to try, one after the other", "依次尝试的种子个数")))
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  check_command->add_option("--sarif", check->sarif,
                            frame.say(text("write the findings as SARIF 2.1.0", "把结果写成 SARIF 2.1.0")));
  check_command->add_option("--without", check->request.without, frame.say(text("leave out the findings of a rule", "不报告某条规则的结果")))
      ->allow_extra_args(false);
  check_command->add_option("--explain", check->explain, frame.say(text("what a rule means", "解释一条规则")));
  frame.on_run(check_command, [&frame, check] { return run_check(frame.context(), *check); });

  add_kernel_compare(frame, group);

  add_kernel_scan(frame, group);

  CLI::App* rules_command =
      frame.add("rules", text("List the rules of the checkers.", "列出检查规则。"), {"starbridge kernel rules"}, group);
  frame.on_run(rules_command, [&frame] { return base::Result<ExitCode>(list_rules(frame.context())); });
}

}  // namespace starbridge::cli
