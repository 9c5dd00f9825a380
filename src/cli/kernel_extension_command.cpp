// starbridge kernel port-extension FILE.cu: one source of a PyTorch extension as the sources of its port.
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/frame.h"
#include "kernel/port/extension.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;

namespace {

base::Result<ExitCode> run(const Context& context, const kernel::port::PortRequest& request, std::string host_name) {
  namespace fs = std::filesystem;
  if (host_name.empty()) host_name = fs::path(request.path).stem().string() + ".cpp";
  SB_TRY(kernel::port::ExtensionPort port, kernel::port::port_extension_source(request, host_name));
  Json files = Json::array(), left_out = Json::array(), kernels = Json::array();
  for (const auto& file : port.files) {
    const fs::path to = fs::path(request.output_folder) / file.path;
    SB_TRY_VOID(base::make_directories(to.parent_path().string()));
    SB_TRY_VOID(base::write_file_atomically(to.string(), file.content));
    files.push_back(to.string());
    if (!context.json) context.out << to.string() << "\n";
  }
  for (const auto& kernel : port.report.kernels) {
    if (!kernel.is_launched || !kernel.emitted.refusal.empty()) continue;
    const int arithmetic = kernel::port::vector_share(kernel.emitted.vector_operations, kernel.emitted.thread_operations);
    const int bytes = kernel::port::vector_share(kernel.emitted.vector_bytes, kernel.emitted.thread_bytes);
    kernels.push_back({{"kernel", kernel.name}, {"vector_arithmetic_percent", arithmetic}, {"vector_bytes_percent", bytes}});
    if (!context.json)
      context.out << "    "
                  << context.say(text("{}: vector built-ins {} % of the arithmetic, {} % of the bytes",
                                      "{}：向量内建函数占算术 {}%、数据 {}%", kernel.name, arithmetic, bytes))
                  << "\n";
  }
  for (const auto& each : port.left_out) {
    left_out.push_back(
        {{"kernel", each.kernel}, {"place", each.place.to_string()}, {"reason", each.reason.in(context.language)}});
    if (!context.json)
      context.out << "    "
                  << context.say(text("left out, throws when reached: {} ({}: {})", "已略去，执行到时报错：{}（{}：{}）",
                                      each.kernel, each.place.to_string(), each.reason.in(context.language)))
                  << "\n";
  }
  if (context.json)
    context.print_json({{"schema", "starbridge.kernel_port_extension/1"},
                        {"source", request.path},
                        {"chip", port.report.chip},
                        {"files", files},
                        {"kernels", kernels},
                        {"left_out", left_out}});
  return ExitCode::kDone;
}

}  // namespace

void add_kernel_extension_command(Frame& frame) {
  CLI::App* group = frame.group("kernel");
  auto request = std::make_shared<kernel::port::PortRequest>();
  auto host_name = std::make_shared<std::string>();
  request->standard = "c++20";
  CLI::App* command = frame.add(
      "port-extension",
      text("Port one .cu source of a PyTorch extension: kernels, host code, declarations.",
           "移植 PyTorch 扩展的一个 .cu 源文件：内核、主机代码与声明。"),
      {"starbridge kernel port-extension csrc/ops.cu --to mlu370-x8 -o csrc-mlu --system-include $TORCH/include"}, group);
  command->add_option("SOURCE", request->path, frame.say(text(".cu source", ".cu 源文件")))->required();
  command->add_option("--to", request->chip, frame.say(text("chip", "芯片")))->capture_default_str();
  command->add_option("-o,--output", request->output_folder, frame.say(text("folder for the port", "输出目录")))
      ->capture_default_str();
  command->add_option("--host-name", *host_name, frame.say(text("name of the host source", "主机源文件名")));
  auto many = [&](const char* name, std::vector<std::string>& into, base::Text about) {
    command->add_option(name, into, frame.say(about))->allow_extra_args(false);
  };
  many("-I,--include", request->includes, text("folder of headers of the extension", "扩展自己的头文件目录"));
  many("--system-include", request->system_includes, text("folder of headers of libraries", "库的头文件目录"));
  many("-D,--define", request->defines, text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE"));
  frame.on_run(command, [&frame, request, host_name] { return run(frame.context(), *request, *host_name); });
}

}  // namespace starbridge::cli
