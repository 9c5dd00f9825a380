// kernel explain: what a ported kernel looks like on the chip, what it costs there by the model, and why.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/frame.h"
#include "kernel/port/advice.h"
#include "kernel/port/modelled.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::Table;
using base::text;
using kernel::port::ModelledKernel;
using kernel::port::ModelReport;
using kernel::port::PortedKernel;

namespace {

struct Options {
  kernel::port::ModelRequest request;
  std::string program;
  std::string kernel;  // empty: all that are launched
};

std::string microseconds(double us) {
  char out[32];
  std::snprintf(out, sizeof out, us < 100 ? "%.2f" : "%.0f", us);
  return out;
}
std::string ratio(double value) {
  char out[32];
  std::snprintf(out, sizeof out, value < 100 ? "%.1f" : "%.0f", value);
  return out;
}

base::Text pipe_text(std::size_t pipe) {
  static const base::Text names[] = {text("scalar unit", "标量单元"), text("vector unit", "向量单元"),
                                     text("matrix unit", "矩阵单元"), text("copies off chip", "片外拷贝"),
                                     text("copies on chip", "片内拷贝")};
  return names[pipe];
}

void print_buffers(const Context& context, const PortedKernel& kernel) {
  Table table({{context.say(text("buffer", "缓冲区"))},
               {context.say(text("type", "类型"))},
               {context.say(text("elements", "元素")), Table::Align::kRight},
               {context.say(text("bytes", "字节")), Table::Align::kRight}});
  for (const auto& tile : kernel.emitted.tiles)
    table.add_row({tile.name, tile.type, std::to_string(tile.count), std::to_string(tile.bytes)});
  table.add_row({context.say(text("together", "合计")), "", "", std::to_string(kernel.emitted.nram_bytes)});
  context.out << table.render(context.style, "    ") << "    "
              << context.say(text("{} % of the {} bytes a kernel may use", "占内核可用 {1} 字节的 {0}%",
                                  100 * kernel.emitted.nram_bytes / std::max(1LL, kernel.emitted.nram_limit),
                                  kernel.emitted.nram_limit))
              << "\n";
}

void print_vectorised(const Context& context, const PortedKernel& kernel) {
  const auto& emitted = kernel.emitted;
  context.out << "    "
              << context.say(text("vector built-ins: {} % of the arithmetic, {} % of the bytes",
                                  "向量内建函数：算术 {}%，数据 {}%",
                                  kernel::port::vector_share(emitted.vector_operations, emitted.thread_operations),
                                  kernel::port::vector_share(emitted.vector_bytes, emitted.thread_bytes)))
              << "\n";
  for (const auto& fallback : emitted.fallbacks)
    context.out << "    "
                << context.say(text("thread by thread, line {}: {}", "逐线程执行，第 {} 行：{}", fallback.line, fallback.reason))
                << "\n";
}

void print_times(const Context& context, const ModelReport& report, const ModelledKernel& modelled) {
  const auto& port = modelled.port;
  Table table({{context.say(text("modelled, not measured", "建模值，非实测"))},
               {context.say(text("us", "微秒")), Table::Align::kRight},
               {context.say(text("share", "占比")), Table::Align::kRight}});
  auto row = [&](const base::Text& name, double us, bool has_share) {
    table.add_row({context.say(name), microseconds(us), has_share && port.us > 0 ? ratio(100 * us / port.us) + " %" : ""});
  };
  for (std::size_t pipe = 0; pipe < port.busy_us.size(); ++pipe) {
    if (port.busy_us[pipe] > 0) row(pipe_text(pipe), port.busy_us[pipe], true);
  }
  row(text("slowest core, {} launches", "最慢的核，共 {} 次启动", port.launches), port.us, true);
  row(text("launching, beside it", "另加启动开销"), port.launch_us, false);
  if (modelled.scalar.launches > 0) row(text("the same thread by thread", "逐线程移植的用时"), modelled.scalar.us, false);
  row(text("bound by memory", "访存下限"), modelled.bound.memory_us, false);
  if (modelled.bound.vector_us > 0) row(text("bound by vector arithmetic", "向量算术下限"), modelled.bound.vector_us, false);
  context.out << table.render(context.style, "    ");
  context.out << "    "
              << context.say(text("{} times the bound; bottleneck: {}", "为下限的 {} 倍；瓶颈：{}", ratio(modelled.bound_ratio()),
                                  context.say(kernel::port::bottleneck_text(modelled))));
  if (modelled.scalar.launches > 0)
    context.out << context.say(text("; {} times as fast as thread by thread", "；比逐线程快 {} 倍", ratio(modelled.speedup())));
  context.out << "\n";
  for (const base::Text& advice : kernel::port::advice_for(modelled, report.costs))
    context.out << "    - " << context.say(advice) << "\n";
}

Json kernel_json(const Context& context, const ModelReport& report, const PortedKernel& kernel, const ModelledKernel* modelled) {
  Json buffers = Json::array(), fallbacks = Json::array(), advice = Json::array();
  for (const auto& tile : kernel.emitted.tiles)
    buffers.push_back({{"name", tile.name}, {"type", tile.type}, {"elements", tile.count}, {"bytes", tile.bytes}});
  for (const auto& fallback : kernel.emitted.fallbacks)
    fallbacks.push_back({{"line", fallback.line}, {"reason", fallback.reason}});
  Json json = {{"kernel", kernel.name},
               {"file", kernel.file},
               {"line", kernel.line},
               {"buffers", buffers},
               {"nram_bytes", kernel.emitted.nram_bytes},
               {"nram_bytes_max", kernel.emitted.nram_limit},
               {"vector_arithmetic_percent",
                kernel::port::vector_share(kernel.emitted.vector_operations, kernel.emitted.thread_operations)},
               {"vector_bytes_percent", kernel::port::vector_share(kernel.emitted.vector_bytes, kernel.emitted.thread_bytes)},
               {"fallbacks", fallbacks},
               {"modelled", nullptr}};
  if (modelled == nullptr) return json;
  const auto& port = modelled->port;
  Json pipes = Json::object();
  for (std::size_t pipe = 0; pipe < port.busy_us.size(); ++pipe)
    pipes[std::string(kernel::cost::kPipes[pipe])] = port.busy_us[pipe];
  for (const base::Text& each : kernel::port::advice_for(*modelled, report.costs)) advice.push_back(context.say(each));
  json["modelled"] = {{"launches", port.launches},
                      {"us", port.us},
                      {"us_mean_core", port.us_mean},
                      {"launch_us", port.launch_us},
                      {"busy_us", pipes},
                      {"bottleneck", port.bottleneck()},
                      {"scalar_port_us", modelled->scalar.us},
                      {"speedup_over_scalar", modelled->speedup()},
                      {"bound",
                       {{"us", modelled->bound.us()},
                        {"by", modelled->bound.by()},
                        {"memory_us", modelled->bound.memory_us},
                        {"vector_us", modelled->bound.vector_us}}},
                      {"bound_ratio", modelled->bound_ratio()},
                      {"vector_operations", port.vector_operations},
                      {"vector_bytes", port.vector_bytes},
                      {"copies", port.copies},
                      {"bytes_moved", port.bytes_read + port.bytes_written},
                      {"bytes_touched", port.unique_bytes_read + port.unique_bytes_written},
                      {"scalar_operations", port.scalar_operations},
                      {"far_accesses", port.far_accesses},
                      {"advice", advice}};
  return json;
}

base::Result<ExitCode> run_explain(const Context& context, Options options) {
  // FILE.cu:KERNEL
  options.request.port.path = options.program;
  if (std::size_t colon = options.program.rfind(".cu:"); colon != std::string::npos) {
    options.request.port.path = options.program.substr(0, colon + 3);
    options.kernel = options.program.substr(colon + 4);
  }
  SB_TRY(ModelReport report, kernel::port::model_program(options.request));
  Json kernels = Json::array();
  bool is_found = false;
  std::string known;
  for (const PortedKernel& kernel : report.port.kernels) {
    if (!kernel.emitted.refusal.empty() || !kernel.is_launched) continue;
    known += (known.empty() ? "" : ", ") + kernel.name;
    if (!options.kernel.empty() && kernel.name != options.kernel) continue;
    is_found = true;
    const ModelledKernel* modelled = report.find(kernel.name);
    if (context.json) {
      kernels.push_back(kernel_json(context, report, kernel, modelled));
      continue;
    }
    context.out << context.style.bold(kernel.name) << "  " << kernel.file << ":" << kernel.line << " -> " << report.port.chip
                << "\n";
    print_buffers(context, kernel);
    print_vectorised(context, kernel);
    if (modelled != nullptr)
      print_times(context, report, *modelled);
    else
      context.out << "    "
                  << (report.reason.en.empty() ? context.say(text("this run did not launch it", "本次运行没有启动它"))
                                               : context.say(report.reason))
                  << "\n";
  }
  if (!is_found)
    return base::Error("kernel.no_such_kernel",
                       text("{} launches no kernel {}", "{} 没有启动名为 {} 的内核", options.request.port.path, options.kernel))
        .at(options.request.port.path)
        .next(text("its kernels are {}", "可选的内核：{}", known));
  if (context.json)
    context.print_json({{"schema", "starbridge.kernel_explain/1"},
                        {"program", options.request.port.path},
                        {"chip", report.port.chip},
                        {"is_modelled", true},
                        {"reason", report.reason.in(context.language)},
                        {"assumed_costs", report.costs.assumed_count()},
                        {"kernels", kernels}});
  else
    context.note(text("times are modelled on the emulated chip from {} costs, {} of them assumed (docs/kernel-cost-model.md)",
                      "时间由仿真芯片按 {} 项开销建模，其中 {} 项为假设值（docs/kernel-cost-model.md）", report.costs.rows.size(),
                      report.costs.assumed_count()));
  return report.reason.en.empty() ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

}  // namespace

void add_kernel_explain_command(Frame& frame) {
  auto options = std::make_shared<Options>();
  options->request.port.output_folder.clear();
  CLI::App* command = frame.add(
      "explain",
      text("What a ported kernel looks like on the chip and what it costs there: buffers, vectors, modelled time, its bound.",
           "说明移植后的内核：缓冲区、向量化情况、建模时间及其下限。"),
      {"starbridge kernel explain saxpy.cu --to mlu370-x8", "starbridge kernel explain reduce.cu:sum -- 4096"},
      frame.group("kernel"));
  command
      ->add_option("PROGRAM", options->program, frame.say(text(".cu source, or SOURCE:KERNEL", ".cu 源文件，或 源文件:内核名")))
      ->required();
  command
      ->add_option("--with", options->request.port.with, frame.say(text("a further .cu source of the program", "程序的其他 .cu 源文件")))
      ->allow_extra_args(false);
  command->add_flag("--double-as-float", options->request.port.choices.narrows_double,
                    frame.say(text("compute double variables of kernels as float", "内核中的双精度变量按 float 计算")));
  command->add_option("--to", options->request.port.chip, frame.say(text("chip", "芯片")))->capture_default_str();
  command->add_option("-I,--include", options->request.port.includes, frame.say(text("folder of headers", "头文件目录")))
      ->allow_extra_args(false);
  command
      ->add_option("-D,--define", options->request.port.defines,
                   frame.say(text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE")))
      ->allow_extra_args(false);
  command->add_option("--in", options->request.working_directory,
                      frame.say(text("folder the program runs in", "程序的工作目录")));
  command
      ->add_option("--time-limit", options->request.time_limit_s,
                   frame.say(text("seconds each run may take", "每次运行的时限（秒）")))
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
  command->add_option("ARGUMENTS", options->request.arguments,
                      frame.say(text("the program's own arguments, after --", "程序自己的参数，写在 -- 之后")));
  frame.on_run(command, [&frame, options] { return run_explain(frame.context(), *options); });
}

}  // namespace starbridge::cli
