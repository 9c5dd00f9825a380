// starbridge weights show, check: what is in a checkpoint, and whether two hold the same. Nothing in a checkpoint is executed.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "cli/frame.h"
#include "cli/weights_rule.h"
#include "cli/weights_tools.h"
#include "cli/weights_view.h"
#include "weights/checkpoint.h"
#include "weights/compare.h"
#include "weights/report.h"

namespace starbridge::cli {

namespace {

using base::ExitCode;
using base::Json;
using base::Result;
using base::text;

constexpr std::size_t kRowsShown = 40;

struct CheckOptions {
  std::string left;
  std::string right;
  std::vector<std::string> ignored_prefixes;
  RuleWords rule;
  bool shows_all = false;
};

Result<ExitCode> run_show(const Context& context, const std::string& path) {
  SB_TRY(weights::Checkpoint checkpoint, weights::open_checkpoint(path));
  if (context.json) {
    Json json = {{"schema", "starbridge.weights_show/1"}, {"path", path}};
    Json body = weights::to_json(checkpoint, context.language);
    for (const auto& [key, value] : body.items()) json[key] = value;
    context.print_json(json);
  } else {
    print_checkpoint(context, checkpoint);
  }
  return ExitCode::kDone;
}

Result<ExitCode> run_check(const Context& context, const CheckOptions& options, const CLI::App& command) {
  SB_TRY(weights::CompareOptions compare, read_rule(options.rule, command));
  for (const std::string& list : options.ignored_prefixes) {
    for (const std::string& prefix : split_commas(list)) compare.ignored_prefixes.push_back(prefix);
  }
  SB_TRY(weights::Checkpoint left, weights::open_checkpoint(options.left));
  SB_TRY(weights::Checkpoint right, weights::open_checkpoint(options.right));
  SB_TRY(weights::Comparison comparison, weights::compare(left, right, compare));
  if (context.json) {
    Json json = {{"schema", "starbridge.weights_check/1"}, {"first", options.left}, {"second", options.right}};
    Json body = weights::to_json(comparison);
    for (const auto& [key, value] : body.items()) json[key] = value;
    context.print_json(json);
  } else {
    print_comparison(context, comparison, options.shows_all ? 0 : kRowsShown);
  }
  return comparison.agrees ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

void add_show(Frame& frame, CLI::App* parent) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = frame.add("show", text("list the tensors of a checkpoint", "列出检查点中的张量"),
                                {"starbridge weights show model.pt", "starbridge weights show ./llama --json"}, parent);
  command->add_option("FILE", *path, frame.say(text("file, *.index.json or folder of shards", "文件、*.index.json 或分片目录")))
      ->required();
  frame.on_run(command, [&frame, path] { return run_show(frame.context(), *path); });
}

void add_check(Frame& frame, CLI::App* parent) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = frame.add(
      "check",
      text("compare two checkpoints; exit code 0 when they agree, 1 when not", "比较两份检查点；一致时退出码 0，不一致时 1"),
      {"starbridge weights check original.pt port.pt",
       "starbridge weights check a.safetensors b.safetensors --tolerance bf16=0.02 --cosine-min 0.999"},
      parent);
  command->add_option("FIRST", options->left, frame.say(text("the reference", "参考")))->required();
  command->add_option("SECOND", options->right, frame.say(text("what is compared with it", "与之比较的检查点")))->required();
  add_rule_options(frame, command, options->rule);
  command->add_option(
      "--ignore-prefix", options->ignored_prefixes,
      frame.say(text("leave these prefixes of names away, e.g. module.,_orig_mod.", "去掉名称前缀，例如 module.,_orig_mod.")));
  command->add_flag("--all", options->shows_all, frame.say(text("show identical tensors as well", "同时显示相同的张量")));
  frame.on_run(command, [&frame, options, command] { return run_check(frame.context(), *options, *command); });
}

}  // namespace

void add_weights_command(Frame& frame) {
  CLI::App* command = frame.add("weights", text("look into checkpoints, compare and convert them", "查看、比较与转换检查点"),
                                {"starbridge weights show model.safetensors", "starbridge weights check original.pt port.pt"});
  command->require_subcommand(1);
  add_show(frame, command);
  add_check(frame, command);
  add_weights_convert(frame, command);
  add_weights_dump_compare(frame, command);
}

}  // namespace starbridge::cli
