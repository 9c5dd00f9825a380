// starbridge port PATH --to CHIP: an edited copy, a patch, or in place; and back.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <ostream>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "cli/port_extensions.h"
#include "cli/project_view.h"
#include "port/apply.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Table;
using base::text;

namespace {

struct PortOptions {
  std::string path;
  std::string chip;
  std::string output;
  std::string style = "vendor";
  std::string rules;
  bool edits_supported = false;
  bool leaves_kernels = false;
  bool is_patch = false;
  bool is_in_place = false;
  bool is_reverse = false;
};

std::map<std::string, std::size_t> edits_by_rule(const port::ProjectReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const port::FileReport& file : report.files) {
    for (const port::Edit& edit : file.results[0].edits) ++counts[edit.rule];
  }
  return counts;
}

std::string default_output(const std::string& path, const std::string& chip) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.pop_back();
  if (trimmed == "." || trimmed == "..") return "ported-" + chip;
  return trimmed + "-" + chip;
}

base::Result<ExitCode> run_reverse(const Context& context, const PortOptions& options) {
  SB_TRY(port::Reversal reversal, port::reverse_port(options.path));
  if (context.json) {
    context.print_json({{"schema", "starbridge.port_reversal/1"},
                        {"path", options.path},
                        {"chip", reversal.chip},
                        {"file_count", reversal.file_count}});
  } else {
    context.out << context.say(
                       text("{} files have their original bytes again", "已还原 {} 个文件的原始字节", reversal.file_count))
                << "\n";
  }
  return ExitCode::kDone;
}

std::vector<std::string> new_file_names(const port::ProjectReport& project) {
  std::vector<std::string> names;
  for (const port::NewFile& file : project.chips[0].new_files) names.push_back(file.path);
  return names;
}

// Nothing is edited: says how the program runs through python/starbridge_torch, and what no interception can settle.
base::Result<ExitCode> run_plug_in(const Context& context, const PortOptions& options, const port::Target& target,
                                   const port::Tables& tables) {
  if (options.is_patch || options.is_in_place || !options.output.empty()) {
    return base::Error("base.usage", text("--style plug-in edits nothing, so there is nothing to write",
                                          "--style plug-in 不修改项目，因此没有可写出的内容"))
        .next(text("leave out -o, --patch and --in-place", "去掉 -o、--patch 与 --in-place"));
  }
  SB_TRY(std::string root, base::installation_root());
  port::Context port_context = port::make_context(tables, {target});
  if (!options.rules.empty()) {
    SB_TRY(port_context.rules, port::RuleSet::load(options.rules, port_context.rules.get()));
  }
  SB_TRY(port::ProjectReport project, port::scan_project(options.path, port_context));
  report::Report report = report::build_report(project);
  bool is_needed = !target.is_cuda_named();
  std::string package = root + "/python/starbridge_torch";
  std::string command = is_needed ? "python -m starbridge_torch train.py" : "python train.py";
  if (context.json) {
    context.print_json({{"schema", "starbridge.port/1"},
                        {"path", options.path},
                        {"style", options.style},
                        {"package", is_needed ? package : ""},
                        {"command", command},
                        {"report", chip_to_json(context, report.chips[0])}});
    return ExitCode::kDone;
  }
  print_findings(context, report.chips[0], 12);
  if (is_needed) {
    context.out << "\n"
                << context.say(text("install: pip install {} {}", "安装：pip install {} {}", package, target.family->plugin))
                << "\n";
  } else {
    context.out << "\n"
                << context.say(text("{} keeps the names of torch.cuda: no plug-in is needed", "{} 沿用 torch.cuda 名称，无需插件",
                                    target.chip->name))
                << "\n";
  }
  context.out << context.say(text("run: {}", "运行：{}", command)) << "\n";
  return ExitCode::kDone;
}

void print_summary(const Context& context, const PortOptions& options, const report::Report& report, const std::string& output) {
  print_verdicts(context, report);
  Table table({{context.say(text("rule", "规则"))}, {context.say(text("edits", "修改")), Table::Align::kRight}});
  for (const auto& [rule, count] : edits_by_rule(*report.project)) table.add_row({rule, std::to_string(count)});
  if (table.row_count() > 0) context.out << "\n" << table.render(context.style);
  for (const std::string& name : new_file_names(*report.project))
    context.out << context.say(text("added: {}", "新增：{}", name)) << "\n";
  print_findings(context, report.chips[0], 12);
  if (!output.empty()) {
    context.out << "\n" << context.say(text("written to {}", "已写入 {}", output)) << "\n";
    context.out << context.say(text("next: starbridge verify {} {} -- python train.py",
                                    "下一步：starbridge verify {} {} -- python train.py", options.path, output))
                << "\n";
  }
}

base::Result<ExitCode> run_port(const Context& context, const PortOptions& options) {
  if (options.is_reverse) return run_reverse(context, options);
  if (options.chip.empty())
    return base::Error("base.usage", text("--to CHIP is missing", "缺少 --to 芯片"))
        .next(text("see starbridge chips", "请看 starbridge chips"));
  if (static_cast<int>(options.is_patch) + static_cast<int>(options.is_in_place) + static_cast<int>(!options.output.empty()) >
      1) {
    return base::Error("base.usage",
                       text("-o, --patch and --in-place exclude each other", "-o、--patch 与 --in-place 只能选一个"));
  }
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(const catalog::Chip* chip, catalog.find_chip(options.chip));
  port::Style style = port::find_style(options.style).value();  // the command line takes no other word
  port::Target target = port::make_target(*chip, style);
  if (target.family == nullptr) {
    return base::Error("port.cannot_port_to",
                       text("no PyTorch plug-in is known for {}", "{} 没有已知的 PyTorch 插件", chip->name))
        .next(text("choose another chip: see starbridge chips", "请换一种芯片：见 starbridge chips"));
  }
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  if (style == port::Style::kPlugIn) return run_plug_in(context, options, target, tables);
  base::Progress progress(stderr, context.quiet || context.json);
  auto on_progress = [&](std::size_t done, std::size_t total) {
    progress.update(context.say(text("porting", "移植")), done, total);
  };
  port::Context port_context = port::make_context(tables, {target});
  if (!options.rules.empty()) {
    SB_TRY(port_context.rules, port::RuleSet::load(options.rules, port_context.rules.get()));
  }
  port_context.edits_supported = options.edits_supported;
  port_context.today = base::format_time(base::SystemClock().now_ms()).substr(0, 10);
  SB_TRY(port::ProjectReport project, port::scan_project(options.path, port_context, on_progress));
  if (!options.leaves_kernels) SB_TRY_VOID(port_extensions(project, port_context, on_progress));
  report::Report report = report::build_report(project);
  std::string output;
  if (options.is_patch) {
    SB_TRY(std::string patch, port::make_patch(project));
    progress.finish();
    if (!context.json) {
      context.out << patch;
      return ExitCode::kDone;
    }
    base::Json json = {{"schema", "starbridge.port/1"},
                       {"path", options.path},
                       {"style", options.style},
                       {"report", chip_to_json(context, report.chips[0])},
                       {"patch", base::sanitize_utf8(patch)}};
    context.print_json(json);
    return ExitCode::kDone;
  }
  if (options.is_in_place) {
    SB_TRY_VOID(port::write_in_place(project));
    output = options.path;
  } else {
    output = options.output.empty() ? default_output(options.path, chip->id) : options.output;
    SB_TRY_VOID(port::write_copy(project, output, on_progress));
  }
  progress.finish();
  if (context.json) {
    context.print_json({{"schema", "starbridge.port/1"},
                        {"path", options.path},
                        {"output", output},
                        {"style", options.style},
                        {"new_files", new_file_names(project)},
                        {"edits_by_rule", edits_by_rule(project)},
                        {"report", chip_to_json(context, report.chips[0])}});
  } else {
    print_summary(context, options, report, output);
  }
  return ExitCode::kDone;
}

}  // namespace

void add_port_command(Frame& frame) {
  auto options = std::make_shared<PortOptions>();
  CLI::App* command = frame.add("port",
                                text("Rewrite a project for a chip: an edited copy or a patch; every byte can be restored.",
                                     "为某芯片改写项目：生成副本或补丁；可逐字节还原。"),
                                {"starbridge port ./my-project --to ascend-910b3 -o ./my-project-npu",
                                 "starbridge port ./my-project --to mlu370-x8 --patch > mlu.patch",
                                 "starbridge port ./my-project --to ascend-910b3 --style portable -o ./my-project-any"});
  command->add_option("PATH", options->path, frame.say(text("project folder or file", "项目目录或文件")))->required();
  command->add_option("--to", options->chip, frame.say(text("chip to port to", "目标芯片")));
  command->add_option("--rules", options->rules,
                      frame.say(text("more rules: a file or folder (starbridge rules --help)",
                                     "更多规则：文件或目录（starbridge rules --help）")));
  command
      ->add_option(
          "--style", options->style,
          frame.say(text("vendor: the vendor's names; portable: runs on NVIDIA and on the chip; plug-in: nothing is edited",
                         "vendor：厂商名称；portable：在 NVIDIA 与该芯片上都能运行；plug-in：不改代码")))
      ->check(CLI::IsMember({"vendor", "portable", "plug-in"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      frame.say(text("folder for the copy (default: PATH-CHIP)", "副本目录（默认：PATH-芯片）")));
  command->add_flag("--all-sites", options->edits_supported,
                    frame.say(text("also edit a project that supports the chip already", "即使项目已支持该芯片也修改")));
  command->add_flag("--no-kernels", options->leaves_kernels,
                    frame.say(text("leave CUDA kernels of extensions as they are", "不移植扩展中的 CUDA 内核")));
  command->add_flag("--patch", options->is_patch, frame.say(text("print a patch for patch -p1", "输出 patch -p1 可用的补丁")));
  command->add_flag("--in-place", options->is_in_place, frame.say(text("edit the project itself", "直接修改项目")));
  command->add_flag("--reverse", options->is_reverse,
                    frame.say(text("restore the original bytes of a port", "还原移植前的原始字节")));
  frame.on_run(command, [&frame, options] { return run_port(frame.context(), *options); });
}

}  // namespace starbridge::cli
