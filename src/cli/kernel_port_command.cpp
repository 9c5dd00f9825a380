// kernel port, kernel verify: a CUDA program as a BANG C or Ascend C program, and both run and compared.
#include <CLI/CLI.hpp>

#include <memory>

#include "base/json.h"
#include "cli/frame.h"
#include "kernel/port/port.h"
#include "kernel/port/verify.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;
using kernel::port::PortedKernel;

namespace {

struct Options {
  kernel::port::PortRequest request;
  bool shows_trees = false;
};

Json kernel_json(const Context& context, const PortedKernel& kernel) {
  Json fallbacks = Json::array();
  for (const auto& fallback : kernel.emitted.fallbacks)
    fallbacks.push_back({{"line", fallback.line}, {"reason", fallback.reason}});
  Json tiles = Json::array();
  for (const auto& tile : kernel.emitted.tiles)
    tiles.push_back(tile.name + ": " + tile.type + "[" + std::to_string(tile.count) + "], " + std::to_string(tile.bytes) +
                    " bytes");
  base::Text next;
  return {{"kernel", kernel.name},
          {"file", kernel.file},
          {"line", kernel.line},
          {"is_launched", kernel.is_launched},
          {"vector_arithmetic_percent",
           kernel::port::vector_share(kernel.emitted.vector_operations, kernel.emitted.thread_operations)},
          {"vector_bytes_percent", kernel::port::vector_share(kernel.emitted.vector_bytes, kernel.emitted.thread_bytes)},
          {"threads_max", kernel.emitted.threads_max},
          {"nram_bytes", kernel.emitted.nram_bytes},
          {"tiles", tiles},
          {"fallbacks", fallbacks},
          {"double_as_float", kernel.emitted.narrows_double},
          {"refusal",
           kernel.emitted.refusal.empty() ? "" : kernel::port::refusal_text(kernel.emitted.refusal, next).in(context.language)}};
}

void print_kernel(const Context& context, const kernel::port::PortReport& report, const PortedKernel& kernel) {
  const auto& emitted = kernel.emitted;
  context.out << context.style.bold(kernel.name) << "  " << kernel.file << ":" << kernel.line << "\n";
  if (!emitted.refusal.empty()) {
    base::Text next;
    context.out << "    " << context.say(text("left out, since nothing launches it: ", "未被启动，已略去："))
                << kernel::port::refusal_text(emitted.refusal, next).in(context.language) << "\n";
    return;
  }
  const int arithmetic = kernel::port::vector_share(emitted.vector_operations, emitted.thread_operations);
  const int bytes = kernel::port::vector_share(emitted.vector_bytes, emitted.thread_bytes);
  context.out << "    "
              << context.say(
                     text("vector built-ins: {0} % of the arithmetic, {1} % of the bytes; {2} {3} bytes at {4} threads per block",
                          "向量内建函数：算术 {0}%，数据 {1}%；每块 {3} 字节 {2}（{4} 线程）", arithmetic, bytes, report.memory,
                          emitted.nram_bytes, emitted.threads_max))
              << "\n";
  for (const auto& fallback : emitted.fallbacks)
    context.out << "    "
                << context.say(text("thread by thread, line {}: {}", "逐线程执行，第 {} 行：{}", fallback.line, fallback.reason))
                << "\n";
  if (emitted.narrows_double)
    context.out << "    " << context.say(text("double intermediate values are computed as float", "双精度中间值按 float 计算"))
                << "\n";
}

base::Result<ExitCode> run_port(const Context& context, const Options& options) {
  if (options.shows_trees) {
    SB_TRY(std::string trees, kernel::port::kernel_trees(options.request));
    context.out << trees;
    return ExitCode::kDone;
  }
  SB_TRY(kernel::port::PortReport report, kernel::port::port_program(options.request));
  if (context.json) {
    Json kernels = Json::array();
    for (const PortedKernel& kernel : report.kernels) kernels.push_back(kernel_json(context, kernel));
    context.print_json({{"schema", "starbridge.kernel_port/1"},
                        {"program", options.request.path},
                        {"chip", report.chip},
                        {"language", report.language},
                        {"files", report.files},
                        {"kernels", kernels}});
    return ExitCode::kDone;
  }
  for (const PortedKernel& kernel : report.kernels) print_kernel(context, report, kernel);
  for (const std::string& file : report.files) context.out << file << "\n";
  context.err << context.say(text("next: starbridge kernel check {} --chip {}", "下一步：starbridge kernel check {} --chip {}",
                                  report.files.empty() ? "" : report.files[0], report.chip))
              << "\n";
  return ExitCode::kDone;
}

const char* class_word(kernel::port::Class kind) {
  return kind == kernel::port::Class::kExact ? "E" : kind == kernel::port::Class::kReordered ? "R" : "A";
}

Json distributions_json(const Context& context, const kernel::port::VerifyReport& report) {
  Json all = Json::array();
  for (const auto& one : report.distributions)
    all.push_back({{"name", one.name},
                   {"run", one.is_run},
                   {"agrees", one.agrees},
                   {"reason", one.reason.in(context.language)},
                   {"mere", one.metrics.mere},
                   {"mare", one.metrics.mare}});
  return all;
}

void print_distributions(const Context& context, const kernel::port::VerifyReport& report) {
  if (report.inputs_differed)
    context.out << "    "
                << context.say(text("the host code made different inputs in two runs: the port got those of the original",
                                    "主机代码两次运行产生的输入不同：移植程序使用了原程序的输入"))
                << "\n";
  for (const auto& one : report.distributions) {
    if (one.name == "given") continue;
    context.out << "    " << context.say(text("inputs \"{}\": ", "输入分布“{}”：", one.name))
                << (!one.is_run  ? one.reason.in(context.language)
                    : one.agrees ? context.say(text("agree", "一致"))
                                 : context.say(text("disagree", "不一致")))
                << "\n";
  }
}

base::Result<ExitCode> run_verify(const Context& context, const kernel::port::VerifyRequest& request) {
  SB_TRY(kernel::port::VerifyReport report, kernel::port::verify_program(request));
  const kernel::port::Metrics& metrics = report.comparison.metrics;
  if (context.json) {
    Json kernels = Json::array();
    for (const PortedKernel& kernel : report.port.kernels) kernels.push_back(kernel_json(context, kernel));
    Json findings = Json::array();
    for (const auto& run : report.runs) {
      for (const auto& finding : run.findings) findings.push_back(kernel::to_json(finding, context.language));
    }
    context.print_json({{"schema", "starbridge.kernel_verify/1"},
                        {"program", request.port.path},
                        {"chip", report.port.chip},
                        {"emulated", true},
                        {"verified", report.is_verified},
                        {"reason", report.reason.in(context.language)},
                        {"class", class_word(report.kind)},
                        {"seeds", report.runs.size()},
                        {"copies", report.comparison.copies},
                        {"bytes", report.comparison.bytes},
                        {"inputs_differed", report.inputs_differed},
                        {"distributions", distributions_json(context, report)},
                        {"bit_equal", report.comparison.is_bit_equal && report.is_verified},
                        {"mlu_ops",
                         {{"diff1", metrics.diff1},
                          {"diff2", metrics.diff2},
                          {"diff3_1", metrics.relative_max},
                          {"diff3_2", metrics.absolute_max},
                          {"diff4", metrics.above_share}}},
                        {"cann", {{"mere", metrics.mere}, {"mare", metrics.mare}}},
                        {"findings", findings},
                        {"kernels", kernels}});
    return report.is_verified ? ExitCode::kDone : ExitCode::kAnswerIsNo;
  }
  for (const PortedKernel& kernel : report.port.kernels) print_kernel(context, report.port, kernel);
  if (report.is_verified) {
    context.out << context.style.green(context.say(text("verified", "已验证"))) << "  "
                << context.say(text("class {}, {} seeds, checkers clean, {} copies of {} bytes agree{} (emulated)",
                                    "类别 {}，{} 个种子，检查无误，{} 次拷贝共 {} 字节一致{}（仿真）", class_word(report.kind),
                                    report.runs.size(), report.comparison.copies, report.comparison.bytes,
                                    report.comparison.is_bit_equal ? " =" : ""))
                << "\n    mlu-ops: diff1 " << metrics.diff1 << "  diff2 " << metrics.diff2 << "  diff3 " << metrics.relative_max
                << " / " << metrics.absolute_max << "  diff4 " << metrics.above_share << "\n    CANN: MERE " << metrics.mere
                << "  MARE " << metrics.mare << "\n";
    print_distributions(context, report);
    return ExitCode::kDone;
  }
  context.out << context.style.red(context.say(text("not verified", "未通过验证"))) << "  " << report.reason.in(context.language)
              << "\n";
  return ExitCode::kAnswerIsNo;
}

void add_port_options(Frame& frame, CLI::App* command, kernel::port::PortRequest& request) {
  command->add_option("PROGRAM", request.path, frame.say(text(".cu source", ".cu 源文件")))->required();
  command->add_option("--with", request.with, frame.say(text("a further .cu source of the program", "程序的其他 .cu 源文件")))
      ->allow_extra_args(false);
  command
      ->add_option("--to", request.chip,
                   frame.say(text("chip: mlu370-x8, mlu370-s4, mlu590, ...; ascend-910b3, ascend-910b1, ...",
                                  "芯片：mlu370-x8、mlu370-s4、mlu590 等；ascend-910b3、ascend-910b1 等")))
      ->capture_default_str();
  command->add_option("-o,--output", request.output_folder, frame.say(text("folder for the port", "输出目录")))
      ->capture_default_str();
  command->add_option("-I,--include", request.includes, frame.say(text("folder of headers", "头文件目录")))
      ->allow_extra_args(false);
  command->add_option("-D,--define", request.defines, frame.say(text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE")))
      ->allow_extra_args(false);
  command->add_flag("--double-as-float", request.choices.narrows_double,
                    frame.say(text("compute double variables of kernels as float; the report says where",
                                   "内核中的双精度变量按 float 计算，并在报告中注明")));
}

}  // namespace

void add_kernel_port_command(Frame& frame) {
  CLI::App* group = frame.group("kernel");
  auto options = std::make_shared<Options>();
  CLI::App* command = frame.add("port",
                                text("Port a CUDA program to BANG C or Ascend C: kernels, host code, build file.",
                                     "把 CUDA 程序移植为 BANG C 或 Ascend C：内核、主机代码与构建文件。"),
                                {"starbridge kernel port saxpy.cu --to mlu370-x8 -o saxpy-mlu",
                                 "starbridge kernel port saxpy.cu --to ascend-910b3 -o saxpy-asc"},
                                group);
  add_port_options(frame, command, options->request);
  command->add_flag("--trees", options->shows_trees,
                    frame.say(text("print the kernels as trees after the passes instead", "改为输出各遍之后的内核树")));
  frame.on_run(command, [&frame, options] { return run_port(frame.context(), *options); });

  auto verify = std::make_shared<kernel::port::VerifyRequest>();
  CLI::App* verify_command = frame.add(
      "verify", text("Port it, run both on emulated cards, compare what comes back.", "移植后在仿真卡上分别运行并比较结果。"),
      {"starbridge kernel verify saxpy.cu --to ascend-910b3", "starbridge kernel verify reduce.cu -- 4096"}, group);
  add_port_options(frame, verify_command, verify->port);
  verify_command->add_option("ARGUMENTS", verify->arguments,
                             frame.say(text("the program's own arguments, after --", "程序自己的参数，写在 -- 之后")));
  verify_command->add_option("--against", verify->against,
                             frame.say(text("a .mlu or .asc port written before, in place of a fresh one",
                                            "以已有的 .mlu 或 .asc 移植结果代替新生成的")));
  verify_command->add_option("--in", verify->working_directory, frame.say(text("folder the program runs in", "程序的工作目录")));
  verify_command
      ->add_option("--time-limit", verify->time_limit_s, frame.say(text("seconds each run may take", "每次运行的时限（秒）")))
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
  verify_command->add_option("--seeds", verify->seeds, frame.say(text("adversarial orders to try", "尝试的对抗顺序个数")))
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verify_command->add_flag("--as-given", verify->only_as_given,
                           frame.say(text("only the program's own inputs, not changed ones", "仅用程序自己的输入，不变换分布")));
  frame.on_run(verify_command, [&frame, verify] { return run_verify(frame.context(), *verify); });
}

}  // namespace starbridge::cli
