#include "kernel/cost/timed_run.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "kernel/folder.h"

namespace starbridge::kernel::cost {

using base::text;

base::Result<TimedRun> time_program(const RunRequest& given, const ChipCosts& costs) {
  TemporaryFolder folder;
  if (folder.path.empty()) return base::io_error(errno, text("making a folder", "创建目录"), "/tmp");
  RunRequest request = given;
  request.check = false;
  request.times_path = folder.path + "/times.jsonl";
  request.costs = costs.environment();
  TimedRun result;
  SB_TRY(result.run, run_program(request));
  if (!result.run.ran_well()) {
    result.reason = text("the program ends with {} on the emulated chip", "程序在仿真芯片上以 {} 结束", result.run.exit_code);
    return result;
  }
  std::error_code error;
  if (!std::filesystem::exists(request.times_path, error)) {
    result.reason = text("the program launches no kernel", "程序没有启动任何内核");
    return result;
  }
  SB_TRY(std::string content, base::read_file(request.times_path));
  SB_TRY(result.kernels, read_times(content, request.times_path, costs));
  return result;
}

}  // namespace starbridge::kernel::cost
