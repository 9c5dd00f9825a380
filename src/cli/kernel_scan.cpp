#include "cli/kernel_scan.h"

#include <algorithm>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "base/terminal.h"
#include "kernel/scan.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;

namespace {

constexpr std::size_t kShownMax = 40;  // rows of a table; --json has all

struct ScanOptions {
  std::string path;
  std::string target;
};

base::Text machine_name(std::string_view machine) {
  if (machine == "cuda") return {"CUDA", "CUDA"};
  return machine == "bang" ? base::Text{"BANG C (Cambricon)", "BANG C（寒武纪）"}
                           : base::Text{"Ascend C (Huawei)", "Ascend C（华为）"};
}

base::Text effort_words(kernel::Effort effort) {
  switch (effort) {
    case kernel::Effort::kRewrite:
      return {"rewrite", "改写"};
    case kernel::Effort::kRestructure:
      return {"restructure", "重构"};
    case kernel::Effort::kNone:
      return {"not there", "不支持"};
    default:
      return {"same", "相同"};
  }
}

bool is_wanted(const kernel::Need& need, const std::string& target) { return target.empty() || need.target == target; }

Json to_json(const Context& context, const ScanOptions& options, const kernel::ScanResult& result) {
  Json json = {{"schema", "starbridge.kernel_scan/1"},
               {"path", options.path},
               {"kernels", Json::array()},
               {"launches", Json::array()},
               {"features", Json::array()},
               {"file_count", result.file_count},
               {"device_line_count", result.device_line_count}};
  for (const kernel::ScannedKernel& each : result.kernels)
    json["kernels"].push_back({{"name", each.name},
                               {"machine", each.machine},
                               {"file", each.file},
                               {"line", each.line},
                               {"line_count", each.line_count},
                               {"is_template", each.is_template},
                               {"features", each.features}});
  for (const kernel::ScannedLaunch& each : result.launches)
    json["launches"].push_back(
        {{"kernel", each.kernel}, {"file", each.file}, {"line", each.line}, {"arguments", each.arguments}});
  for (const kernel::Feature& feature : kernel::kernel_features()) {
    auto machine = result.features.find(feature.machine);
    if (machine == result.features.end() || machine->second.count(feature.id) == 0) continue;
    Json needs = Json::array();
    for (const kernel::Need& need : feature.needs) {
      if (is_wanted(need, options.target))
        needs.push_back(
            {{"target", need.target}, {"effort", kernel::to_string(need.effort)}, {"how", need.how.in(context.language)}});
    }
    json["features"].push_back({{"id", feature.id},
                                {"machine", feature.machine},
                                {"title", feature.title.in(context.language)},
                                {"uses", machine->second.at(feature.id)},
                                {"needs", needs}});
  }
  return json;
}

void print_kernels(const Context& context, const kernel::ScanResult& result) {
  base::Table table({{context.say(text("kernel", "内核"))},
                     {context.say(text("place", "位置"))},
                     {context.say(text("lines", "行数"))},
                     {context.say(text("uses", "用到"))}});
  for (std::size_t i = 0; i < result.kernels.size() && i < kShownMax; ++i) {
    const kernel::ScannedKernel& each = result.kernels[i];
    std::string features;
    for (std::string_view id : each.features) features += (features.empty() ? "" : ", ") + std::string(id);
    table.add_row({each.name, each.file + ":" + std::to_string(each.line), std::to_string(each.line_count), features});
  }
  context.out << table.render(context.style);
  if (result.kernels.size() > kShownMax)
    context.out << context.say(
                       text("and {} more; --json lists them", "另有 {} 个，--json 列出全部", result.kernels.size() - kShownMax))
                << "\n";
}

void print_launches(const Context& context, const kernel::ScanResult& result) {
  if (result.launches.empty()) return;
  context.out << "\n" << context.style.bold(context.say(text("launches", "启动"))) << "\n";
  for (std::size_t i = 0; i < result.launches.size() && i < kShownMax; ++i) {
    const kernel::ScannedLaunch& each = result.launches[i];
    std::string arguments;
    for (const std::string& argument : each.arguments) arguments += (arguments.empty() ? "" : ", ") + argument;
    context.out << "  " << each.file << ":" << each.line << "  " << each.kernel << " <<<" << arguments << ">>>\n";
  }
  if (result.launches.size() > kShownMax)
    context.out << context.say(
                       text("and {} more; --json lists them", "另有 {} 处，--json 列出全部", result.launches.size() - kShownMax))
                << "\n";
}

void print_needs(const Context& context, const ScanOptions& options, const kernel::ScanResult& result) {
  for (std::string_view target : {"cuda", "bang", "ascend"}) {
    if (!options.target.empty() && options.target != target) continue;
    base::Table table({{context.say(text("feature", "特性"))},
                       {context.say(text("uses", "次数"))},
                       {context.say(text("effort", "工作"))},
                       {context.say(text("how", "做法"))}});
    bool has_rows = false;
    for (const kernel::Feature& feature : kernel::kernel_features()) {
      auto machine = result.features.find(feature.machine);
      if (feature.machine == target || machine == result.features.end() || machine->second.count(feature.id) == 0) continue;
      auto need = std::find_if(feature.needs.begin(), feature.needs.end(),
                               [&](const kernel::Need& each) { return each.target == target; });
      const bool is_same = need == feature.needs.end();
      table.add_row({feature.title.in(context.language), std::to_string(machine->second.at(feature.id)),
                     context.say(effort_words(is_same ? kernel::Effort::kSame : need->effort)),
                     is_same ? std::string() : need->how.in(context.language)});
      has_rows = true;
    }
    if (!has_rows) continue;
    context.out << "\n"
                << context.style.bold(context.say(text("on {}", "移植到 {}", context.say(machine_name(target))))) << "\n"
                << table.render(context.style);
  }
}

base::Result<ExitCode> run_scan(const Context& context, const ScanOptions& options) {
  SB_TRY(kernel::ScanResult result, kernel::scan_kernels(options.path));
  if (context.json) {
    context.print_json(to_json(context, options, result));
    return ExitCode::kDone;
  }
  context.out << context.say(text("{} kernels, {} launches, {} lines of device code in {} files",
                                  "{} 个内核，{} 处启动，{} 行设备代码，共 {} 个文件", result.kernels.size(),
                                  result.launches.size(), result.device_line_count, result.file_count))
              << "\n\n";
  print_kernels(context, result);
  print_launches(context, result);
  print_needs(context, options, result);
  context.out << "\n" << context.say(text("next: starbridge kernel check FILE", "下一步：starbridge kernel check FILE")) << "\n";
  return ExitCode::kDone;
}

}  // namespace

void add_kernel_scan(Frame& frame, CLI::App* group) {
  auto options = std::make_shared<ScanOptions>();
  CLI::App* command = frame.add("scan",
                                text("List kernels, launches and features, and what each would need on another chip.",
                                     "列出内核、启动与特性，以及在其他芯片上各需什么。"),
                                {"starbridge kernel scan ./project", "starbridge kernel scan add.mlu --to ascend"}, group);
  command->add_option("PATH", options->path, frame.say(text("source, or folder of sources", "源文件，或源码目录")))->required();
  command
      ->add_option("--to", options->target,
                   frame.say(text("only what is needed there: cuda, bang, ascend", "只看该目标：cuda、bang、ascend")))
      ->check(CLI::IsMember({"cuda", "bang", "ascend"}));
  frame.on_run(command, [&frame, options] { return run_scan(frame.context(), *options); });
}

}  // namespace starbridge::cli
