// starbridge compat NAME...: what public sources say about names of PyTorch, operators, variables and packages on a chip, or in
// another framework, with every contradiction shown.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <ostream>

#include "base/files.h"
#include "base/json.h"
#include "cli/compat_view.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::ExitCode;
using base::Result;
using base::text;
using catalog::Catalog;
using catalog::Chip;
using catalog::Support;

struct CompatOptions {
  std::vector<std::string> names;
  std::string list;     // file of names, "-": standard input
  std::string project;  // whose names are asked for
  std::string target;
  CompatQuestion question;
};

Result<std::vector<CompatName>> all_names(const CompatOptions& options, const Catalog& catalog) {
  std::vector<CompatName> names;
  for (const std::string& name : options.names) names.push_back({name});
  if (!options.list.empty()) {
    std::string content;
    if (options.list == "-") {
      content.assign(std::istreambuf_iterator<char>(std::cin), {});
    } else {
      SB_TRY(content, base::read_file(options.list));
    }
    SB_TRY(std::vector<std::string> listed, read_compat_names(content, options.list == "-" ? "stdin" : options.list));
    for (std::string& name : listed) names.push_back({std::move(name)});
  }
  if (!options.project.empty()) {
    SB_TRY(std::vector<CompatName> used, names_of_project(options.project, catalog));
    names.insert(names.end(), used.begin(), used.end());
    if (names.empty())
      return Error("base.usage", text("{} uses no name of PyTorch", "{} 没有使用 PyTorch 的名称", options.project));
  }
  if (names.empty()) {
    return Error("base.usage", text("no name was given", "没有给出名称"))
        .next(text("name one, a file of names with --from, or a project with --project",
                   "请给出名称，或用 --from 指定名称文件，或用 --project 指定项目"));
  }
  return names;
}

// A single unknown name is an error as it always was; among several it is one answer of many.
Error unknown_name(const std::string& name, const std::string& target, const std::vector<std::string>& nearest) {
  Error error("catalog.unknown_api", text("no source says anything about \"{}\" on {}; that is not a promise that it runs",
                                          "没有来源提及 {1} 上的“{0}”；这并不表示它可以运行", base::sanitize_utf8(name), target));
  if (nearest.empty()) return error;
  std::string names;
  for (const std::string& near : nearest) names += (names.empty() ? "" : ", ") + near;
  return std::move(error).next(text("did you mean {}?", "是否想用 {}？", names));
}

Result<ExitCode> answer_framework(const Context& context, const CompatOptions& options, const Catalog& catalog,
                                  const catalog::FrameworkMap& map) {
  SB_TRY(std::vector<CompatName> names, all_names(options, catalog));
  SB_TRY(catalog::ApiTable table, catalog::ApiTable::load(catalog.data_dir()));
  std::vector<FrameworkAnswer> answers = answer_for_framework(map, table, options.target, names);
  if (answers.size() == 1 && answers[0].rows.empty()) return unknown_name(names[0].name, options.target, answers[0].nearest);
  CompatSources sources{table, catalog};
  if (context.json) {
    context.print_json(framework_answers_json(context, sources, options.target, answers));
  } else {
    print_framework_answers(context, sources, options.target, options.question, answers);
  }
  bool is_no = std::any_of(answers.begin(), answers.end(), [](const FrameworkAnswer& answer) {
    return answer.rows.empty() || answer.rows.front()->status == catalog::MapStatus::kNoCounterpart;
  });
  return is_no ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

Result<ExitCode> answer_chip(const Context& context, const CompatOptions& options, const Catalog& catalog) {
  SB_TRY(const Chip* chip, catalog.find_chip(options.target));
  if (chip->stack->keeps_torch_cuda()) {
    return Error("catalog.no_profile", text("{} keeps the torch.cuda names; there is no support table for it",
                                            "{} 沿用 torch.cuda 命名，没有对应的支持表", chip->id))
        .next(text("name a chip with its own plug-in, for example ascend-910b3 or mlu370-x8",
                   "请选择有独立插件的芯片，例如 ascend-910b3 或 mlu370-x8"));
  }
  SB_TRY(std::vector<CompatName> names, all_names(options, catalog));
  SB_TRY(CompatTables tables, CompatTables::load(catalog.data_dir()));
  std::vector<CompatAnswer> answers = answer_for_chip(tables, *chip, options.question.torch_version, names);
  if (answers.size() == 1 && !answers[0].is_known()) return unknown_name(names[0].name, chip->id, answers[0].nearest);
  CompatSources sources{tables.api, catalog};
  if (context.json) {
    context.print_json(chip_answers_json(sources, *chip, options.question, answers));
  } else {
    print_chip_answers(context, sources, *chip, options.question, answers);
  }
  bool is_no = std::any_of(answers.begin(), answers.end(), [](const CompatAnswer& answer) {
    return !answer.is_known() || answer.judgement.status == Support::kUnsupported;
  });
  return is_no ? ExitCode::kAnswerIsNo : ExitCode::kDone;
}

Result<ExitCode> run_compat(const Context& context, CompatOptions& options) {
  options.question.is_brief = options.question.is_brief || !options.project.empty();
  SB_TRY(Catalog catalog, Catalog::load_installed());
  SB_TRY(catalog::FrameworkMap map, catalog::FrameworkMap::load(catalog.data_dir()));
  if (map.knows_framework(options.target)) return answer_framework(context, options, catalog, map);
  return answer_chip(context, options, catalog);
}

}  // namespace

void add_compat_command(Frame& frame) {
  auto options = std::make_shared<CompatOptions>();
  CLI::App* command =
      frame.add("compat",
                text("Show what sources say about PyTorch names, variables and packages on a chip or in another framework.",
                     "查看各来源对 PyTorch 名称、环境变量与软件包在某芯片或其他框架上的说法。"),
                {"starbridge compat torch.nn.GRU --to ascend-910b3 --torch 2.7",
                 "starbridge compat torch.isin aten::lgamma NCCL_DEBUG flash-attn --to mlu370-x8 --json",
                 "starbridge compat --from names.txt --to ascend-910b3 --brief", "starbridge compat torch.nn.GRU --to mindspore",
                 "starbridge compat --project ./my-project --to paddle"});
  command->add_option("names", options->names,
                      frame.say(text("names such as torch.nn.GRU, aten::isin, NCCL_DEBUG or flash-attn",
                                     "名称，例如 torch.nn.GRU、aten::isin、NCCL_DEBUG 或 flash-attn")));
  command->add_option("--from", options->list,
                      frame.say(text("file with one name a line; - reads standard input", "每行一个名称的文件；- 读取标准输入")));
  command->add_option("--project", options->project,
                      frame.say(text("every name a project uses, most used first; as --brief",
                                     "项目用到的全部名称，按使用次数排列；同 --brief")));
  command
      ->add_option("--to", options->target,
                   frame.say(text("the chip, or mindspore, or paddle", "目标芯片，或 mindspore、paddle")))
      ->required();
  command->add_flag("--brief", options->question.is_brief, frame.say(text("one line a name", "每个名称一行")));
  command
      ->add_option("--torch", options->question.torch_version,
                   frame.say(text("PyTorch version, e.g. 2.7 (default: the newest of each source)",
                                  "PyTorch 版本，例如 2.7（默认取各来源最新版）")))
      ->check(CLI::Validator(
          [](const std::string& version) {
            bool is_version = version.size() >= 3 && version.find_first_not_of("0123456789.") == std::string::npos &&
                              version.find('.') != std::string::npos;
            return is_version ? std::string() : "a version such as 2.7 was expected";
          },
          "VERSION"));
  frame.on_run(command, [&frame, options] { return run_compat(frame.context(), *options); });
}

}  // namespace starbridge::cli
