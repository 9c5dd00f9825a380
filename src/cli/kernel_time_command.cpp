// kernel time: what the launches of a BANG C program cost by the model, hand-written ones included.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/frame.h"
#include "kernel/cost/timed_run.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::Table;
using base::text;

namespace {

std::string fixed(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.2f", value);
  return out;
}

base::Result<ExitCode> run_time(const Context& context, const kernel::RunRequest& request) {
  const kernel::Machine* machine = kernel::machine_of_source(request.path);
  if (machine == nullptr || machine->pass_mode.empty())
    return base::Error("kernel.no_kernel_source", text("times are modelled for BANG C programs", "仅能为 BANG C 程序建模时间"))
        .at(request.path)
        .next(text("port a CUDA program first, or use kernel explain", "请先移植 CUDA 程序，或使用 kernel explain"));
  kernel::RunRequest run = request;
  if (run.card.empty()) run.card = std::string(machine->default_card);
  SB_TRY(kernel::cost::ChipCosts costs, kernel::cost::find_costs(run.card));
  SB_TRY(kernel::cost::TimedRun timed, kernel::cost::time_program(run, costs));
  Json kernels = Json::array();
  std::vector<Table::Column> columns = {{context.say(text("kernel (modelled)", "内核（建模值）"))},
                                        {context.say(text("launches", "启动")), Table::Align::kRight},
                                        {context.say(text("us", "微秒")), Table::Align::kRight}};
  for (std::string_view pipe : kernel::cost::kPipes) columns.push_back({std::string(pipe), Table::Align::kRight});
  columns.push_back({context.say(text("least", "访存下限")), Table::Align::kRight});
  Table table(columns);
  for (const auto& each : timed.kernels) {
    const double least = kernel::cost::bound_of(each, 0, 0, costs).memory_us;
    Json busy = Json::object();
    std::vector<std::string> cells = {each.kernel, std::to_string(each.launches), fixed(each.us)};
    for (std::size_t pipe = 0; pipe < each.busy_us.size(); ++pipe) {
      cells.push_back(fixed(each.busy_us[pipe]));
      busy[std::string(kernel::cost::kPipes[pipe])] = each.busy_us[pipe];
    }
    cells.push_back(fixed(least));
    table.add_row(cells);
    kernels.push_back({{"kernel", each.kernel},
                       {"launches", each.launches},
                       {"us", each.us},
                       {"us_mean_core", each.us_mean},
                       {"launch_us", each.launch_us},
                       {"busy_us", busy},
                       {"bottleneck", each.bottleneck()},
                       {"bound_memory_us", least},
                       {"vector_operations", each.vector_operations},
                       {"vector_bytes", each.vector_bytes},
                       {"copies", each.copies},
                       {"bytes_moved", each.bytes_read + each.bytes_written},
                       {"bytes_touched", each.unique_bytes_read + each.unique_bytes_written},
                       {"scalar_operations", each.scalar_operations},
                       {"near_accesses", each.near_accesses},
                       {"far_accesses", each.far_accesses},
                       {"syncs", each.syncs}});
  }
  if (context.json)
    context.print_json({{"schema", "starbridge.kernel_time/1"},
                        {"program", request.path},
                        {"chip", run.card},
                        {"is_modelled", true},
                        {"reason", timed.reason.in(context.language)},
                        {"assumed_costs", costs.assumed_count()},
                        {"kernels", kernels}});
  else
    context.out << (timed.kernels.empty() ? context.say(timed.reason) + "\n" : table.render(context.style));
  return timed.kernels.empty() ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

}  // namespace

void add_kernel_time_command(Frame& frame) {
  auto request = std::make_shared<kernel::RunRequest>();
  CLI::App* command = frame.add(
      "time", text("Modelled time of a BANG C program's launches, by pipe.", "按流水给出 BANG C 程序各内核的建模时间。"),
      {"starbridge kernel time add.mlu --chip mlu370-x8", "starbridge kernel time add.mlu -- 4096"}, frame.group("kernel"));
  command->add_option("PROGRAM", request->path, frame.say(text(".mlu source or a folder", ".mlu 源文件或目录")))->required();
  command->add_option("--chip", request->card, frame.say(text("chip; default mlu370-x8", "芯片；默认 mlu370-x8")));
  command->add_option("-I,--include", request->includes, frame.say(text("folder of headers", "头文件目录")))
      ->allow_extra_args(false);
  command->add_option("-D,--define", request->defines, frame.say(text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE")))
      ->allow_extra_args(false);
  command->add_option("--time-limit", request->time_limit_s, frame.say(text("seconds the run may take", "运行时限（秒）")))
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
  command->add_option("ARGUMENTS", request->arguments,
                      frame.say(text("the program's own arguments, after --", "程序自己的参数，写在 -- 之后")));
  frame.on_run(command, [&frame, request] { return run_time(frame.context(), *request); });
}

}  // namespace starbridge::cli
