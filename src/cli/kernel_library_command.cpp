// starbridge kernel library SOURCES... -o NAME.so: kernels for an emulated card as a library that another program loads.
#include <CLI/CLI.hpp>

#include <memory>

#include "base/json.h"
#include "cli/frame.h"
#include "kernel/library.h"

namespace starbridge::cli {

using base::ExitCode;
using base::text;

void add_kernel_library_command(Frame& frame) {
  CLI::App* group = frame.group("kernel");
  auto request = std::make_shared<kernel::LibraryRequest>();
  CLI::App* command = frame.add("library",
                                text("Compile sources for an emulated card into a shared library.", "为仿真卡把源文件编译成动态库。"),
                                {"starbridge kernel library ops.cpp kernels.cu -o ops.so -I include"}, group);
  auto many = [&](const char* name, std::vector<std::string>& into, base::Text about) {
    command->add_option(name, into, frame.say(about))->allow_extra_args(false);
  };
  command->add_option("SOURCES", request->sources, frame.say(text(".cu, .mlu, .cpp sources", ".cu、.mlu、.cpp 源文件")))
      ->required();
  command->add_option("-o,--output", request->output, frame.say(text("the library, NAME.so", "输出动态库 NAME.so")))->required();
  command->add_option("--machine", request->machine,
                      frame.say(text("cuda, bang or ascend; else by the sources", "cuda、bang 或 ascend；默认由源文件决定")));
  command->add_option("--card,--chip", request->card, frame.say(text("card to stand for", "仿真的卡")));
  many("-I,--include", request->includes, text("folder of headers", "头文件目录"));
  many("-D,--define", request->defines, text("macro, NAME or NAME=VALUE", "宏，NAME 或 NAME=VALUE"));
  many("--prelude", request->preludes, text("header read before each source", "在每个源文件之前读取的头文件"));
  many("--link", request->link, text("word for the linker, as --link=-ltorch", "传给链接器的参数，如 --link=-ltorch"));
  command->add_option("--std", request->standard, frame.say(text("C++ standard", "C++ 标准")))
      ->capture_default_str()
      ->check(CLI::IsMember({"c++14", "c++17", "c++20"}));
  command->add_flag("--fast-math", request->fast_math, frame.say(text("as nvcc --use_fast_math", "等同 nvcc --use_fast_math")));
  command->add_flag("--check", request->check, frame.say(text("with the calls of the checkers", "带检查")));
  frame.on_run(command, [&frame, request]() -> base::Result<ExitCode> {
    SB_TRY_VOID(kernel::build_library(*request));
    if (frame.context().json)
      frame.context().print_json({{"schema", "starbridge.kernel_library/1"}, {"library", request->output}});
    else
      frame.context().out << request->output << "\n";
    return ExitCode::kDone;
  });
}

}  // namespace starbridge::cli
