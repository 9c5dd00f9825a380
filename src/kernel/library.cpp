#include "kernel/library.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "kernel/card.h"
#include "kernel/toolchain.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;
using base::Error;
using base::text;

namespace {

base::Result<const Machine*> machine_for(const LibraryRequest& request) {
  for (const Machine& machine : machines()) {
    if (machine.id == request.machine) return &machine;
  }
  if (!request.machine.empty())
    return Error("base.usage", text("there is no machine {}; cuda, bang and ascend are known", "没有机器 {}；已知 cuda、bang、ascend",
                                    request.machine));
  for (const std::string& source : request.sources) {
    if (const Machine* machine = machine_of_source(source); machine != nullptr) return machine;
  }
  return Error("kernel.no_kernel_source", text("no source here has kernels; name the machine with --machine",
                                               "没有含内核的源文件；请用 --machine 指定机器"))
      .at(request.sources.empty() ? "" : request.sources[0]);
}

}  // namespace

base::Status build_library(const LibraryRequest& request) {
  for (const std::string& source : request.sources) {
    std::error_code error;
    if (!fs::is_regular_file(source, error))
      return Error("base.file_not_found", text("there is no such file", "文件不存在")).at(source);
  }
  SB_TRY(const Machine* machine, machine_for(request));
  SB_TRY(Toolchain toolchain, find_toolchain(*machine));
  CompileRequest compile_request;
  SB_TRY(compile_request.card, find_card(*machine, request.card));
  compile_request.sources = request.sources;
  compile_request.includes = request.includes;
  compile_request.defines = request.defines;
  compile_request.preludes = request.preludes;
  compile_request.link = request.link;
  compile_request.standard = request.standard;
  compile_request.fast_math = request.fast_math;
  compile_request.check = request.check;
  compile_request.library = fs::absolute(request.output).string();
  SB_TRY_VOID(base::make_directories(fs::path(compile_request.library).parent_path().string()));
  std::string folder = (fs::temp_directory_path() / "starbridge-library-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return base::io_error(errno, text("making a folder", "创建目录"), folder);
  compile_request.output_folder = folder;
  base::Result<CompileResult> result = compile(toolchain, compile_request);
  std::error_code error;
  fs::remove_all(folder, error);
  if (!result.ok()) return std::move(result).error();
  return {};
}

}  // namespace starbridge::kernel
