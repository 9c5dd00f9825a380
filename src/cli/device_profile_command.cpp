// starbridge device-profile CHIP: the description an emulated PyTorch device is made from, as JSON on stdout.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/json.h"
#include "catalog/device_profile.h"
#include "cli/frame.h"

namespace starbridge::cli {
namespace {

using base::text;

struct DeviceProfileOptions {
  std::string chip;
  int count = 1;
  std::string torch_version;
};

base::Result<base::ExitCode> run_device_profile(Context& context, const DeviceProfileOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(const catalog::Chip* chip, catalog.find_chip(options.chip));
  SB_TRY(catalog::ApiTable table, catalog::ApiTable::load(catalog.data_dir()));
  SB_TRY(base::Json json, catalog::device_profile(*chip, table, {options.count, options.torch_version}));
  context.print_json(json);
  return base::ExitCode::kDone;
}

}  // namespace

void add_device_profile_command(Frame& frame) {
  auto options = std::make_shared<DeviceProfileOptions>();
  CLI::App* command = frame.add(
      "device-profile", text("print the description of an emulated PyTorch device", "输出模拟 PyTorch 设备的描述（JSON）"),
      {"starbridge device-profile ascend-910b3 --count 8 > npu.json"});
  command->add_option("chip", options->chip, frame.say(text("a chip by id or alias", "芯片编号或别名")))->required();
  command->add_option("--count", options->count, frame.say(text("number of emulated cards, 1 to 64", "模拟卡数，1 到 64")))
      ->check(CLI::Range(1, 64));
  command->add_option("--torch", options->torch_version,
                      frame.say(text("PyTorch version of the operator lists", "算子清单对应的 PyTorch 版本")));
  frame.on_run(command, [&frame, options] { return run_device_profile(frame.context(), *options); });
}

}  // namespace starbridge::cli
