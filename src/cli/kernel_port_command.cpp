// kernel port, kernel verify: a CUDA program as a BANG C program, and both run and compared.
#include <CLI/CLI.hpp>

#include <memory>

#include "base/json.h"
#include "cli/frame.h"
#include "kernel/port/port.h"

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
  for (const auto& fallback : kernel.emitted.fallbacks) fallbacks.push_back({{"line", fallback.line}, {"reason", fallback.reason}});
  base::Text next;
  return {{"kernel", kernel.name}, {"file", kernel.file}, {"line", kernel.line}, {"is_launched", kernel.is_launched},
          {"vector_arithmetic_percent", kernel::port::vector_share(kernel.emitted.vector_operations, kernel.emitted.thread_operations)},
          {"vector_bytes_percent", kernel::port::vector_share(kernel.emitted.vector_bytes, kernel.emitted.thread_bytes)},
          {"threads_max", kernel.emitted.threads_max}, {"nram_bytes", kernel.emitted.nram_bytes}, {"tiles", kernel.emitted.tiles}, {"fallbacks", fallbacks},
          {"double_as_float", kernel.emitted.narrows_double},
          {"refusal", kernel.emitted.refusal.empty() ? "" : kernel::port::refusal_text(kernel.emitted.refusal, next).in(context.language)}};
}

void print_kernel(const Context& context, const PortedKernel& kernel) {
  const auto& emitted = kernel.emitted;
  context.out << context.style.bold(kernel.name) << "  " << kernel.file << ":" << kernel.line << "\n";
  if (!emitted.refusal.empty()) {
    base::Text next;
    context.out << "    " << context.say(text("left out, since nothing launches it: ", "未被启动，已略去：")) << kernel::port::refusal_text(emitted.refusal, next).in(context.language) << "\n";
    return;
  }
  const int arithmetic = kernel::port::vector_share(emitted.vector_operations, emitted.thread_operations);
  const int bytes = kernel::port::vector_share(emitted.vector_bytes, emitted.thread_bytes);
  context.out << "    " << context.say(text("vector built-ins: {} % of the arithmetic, {} % of the bytes; NRAM {} bytes at {} threads per block",
                                            "向量内建函数：算术 {}%，数据 {}%；每块 {} 字节 NRAM（{} 线程）", arithmetic, bytes, emitted.nram_bytes, emitted.threads_max))
              << "\n";
  for (const auto& fallback : emitted.fallbacks)
    context.out << "    " << context.say(text("thread by thread, line {}: {}", "逐线程执行，第 {} 行：{}", fallback.line, fallback.reason)) << "\n";
  if (emitted.narrows_double) context.out << "    " << context.say(text("double intermediate values are computed as float", "双精度中间值按 float 计算")) << "\n";
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
    context.print_json({{"schema", "starbridge.kernel_port/1"}, {"program", options.request.path}, {"chip", report.chip}, {"files", report.files}, {"kernels", kernels}});
    return ExitCode::kDone;
  }
  for (const PortedKernel& kernel : report.kernels) print_kernel(context, kernel);
  for (const std::string& file : report.files) context.out << file << "\n";
  context.err << context.say(text("next: starbridge kernel check {} --chip {}", "下一步：starbridge kernel check {} --chip {}", report.files.empty() ? "" : report.files[0], report.chip)) << "\n";
  return ExitCode::kDone;
}

}  // namespace

void add_kernel_port_command(Frame& frame) {
  CLI::App* group = frame.group("kernel");
  auto options = std::make_shared<Options>();
  CLI::App* command = frame.add("port", text("Port a CUDA program to BANG C: kernels, host code, build file.", "把 CUDA 程序移植为 BANG C：内核、主机代码与构建文件。"),
                                {"starbridge kernel port saxpy.cu --to mlu370-x8 -o saxpy-mlu"}, group);
  command->add_option("PROGRAM", options->request.path, frame.say(text(".cu source", ".cu 源文件")))->required();
  command->add_option("--to", options->request.chip, frame.say(text("chip: mlu370-x8, mlu370-s4, mlu590, ...", "芯片：mlu370-x8、mlu370-s4、mlu590 等")))->capture_default_str();
  command->add_option("-o,--output", options->request.output_folder, frame.say(text("folder for the port", "输出目录")))->default_str("ported");
  command->add_option("-I,--include", options->request.includes, frame.say(text("folder of headers", "头文件目录")))->allow_extra_args(false);
  command->add_option("-D,--define", options->request.defines, frame.say(text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE")))->allow_extra_args(false);
  command->add_flag("--trees", options->shows_trees, frame.say(text("print the kernels as trees after the passes instead", "改为输出各遍之后的内核树")));
  frame.on_run(command, [&frame, options] {
    if (options->request.output_folder.empty()) options->request.output_folder = "ported";
    return run_port(frame.context(), *options);
  });
}

}  // namespace starbridge::cli
