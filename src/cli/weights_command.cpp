// starbridge weights show, check: what is in a checkpoint, and whether two hold the same. Nothing in a checkpoint is executed.
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <ostream>

#include "base/files.h"
#include "base/json.h"
#include "cli/frame.h"
#include "cli/weights_tools.h"
#include "cli/weights_view.h"
#include "weights/checkpoint.h"
#include "weights/compare.h"
#include "weights/report.h"

namespace starbridge::cli {

namespace {

using base::Error;
using base::ExitCode;
using base::Json;
using base::Result;
using base::text;

constexpr std::size_t kRowsShown = 40;

struct CheckOptions {
  std::string left;
  std::string right;
  std::vector<std::string> tolerances;
  std::vector<std::string> ignored_prefixes;
  std::string order_file;
  weights::CompareOptions compare;
  std::uint64_t ulp_max = 0;
  double cosine_min = 0;
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

bool parse_number(std::string_view digits, double& value) {
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc() && end == digits.data() + digits.size() && value >= 0;
}

// "bf16=0.01" or "bf16=0.01:1e-4" (relative:absolute); without a type, for every float.
base::Status add_tolerance(const std::string& word, weights::Rule& rule) {
  Error wrong("base.usage", text("\"{}\" is no tolerance", "“{}”不是容差", base::sanitize_utf8(word)));
  std::size_t equals = word.find('=');
  std::string_view numbers = std::string_view(word).substr(equals == std::string::npos ? 0 : equals + 1);
  std::size_t colon = numbers.find(':');
  weights::Limits limits;
  bool is_number = parse_number(numbers.substr(0, colon), limits.relative) &&
                   (colon == std::string_view::npos || parse_number(numbers.substr(colon + 1), limits.absolute));
  if (!is_number) {
    return std::move(wrong).next(text("write it as DTYPE=RELATIVE or DTYPE=RELATIVE:ABSOLUTE, e.g. bf16=0.01:1e-4",
                                      "写作 类型=相对 或 类型=相对:绝对，例如 bf16=0.01:1e-4"));
  }
  if (equals == std::string::npos) {
    for (const weights::DTypeInfo& row : weights::all_dtypes()) {
      if (row.kind == weights::Kind::kFloat || row.kind == weights::Kind::kComplex) rule.limits[row.dtype] = limits;
    }
    return {};
  }
  std::optional<weights::DType> dtype = weights::dtype_from_name(word.substr(0, equals));
  if (!dtype)
    return std::move(wrong).next(
        text("the types are named as in torch, e.g. float32, bf16", "类型名与 torch 相同，例如 float32、bf16"));
  rule.limits[*dtype] = limits;
  return {};
}

Result<std::vector<std::string>> read_names(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path, 256U << 20));
  std::vector<std::string> names;
  std::string_view rest = content;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = base::trim(rest.substr(0, end));
    if (!line.empty() && line[0] != '#') names.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return names;
}

Result<ExitCode> run_check(const Context& context, CheckOptions options, const CLI::App& command) {
  weights::Rule& rule = options.compare.rule;
  for (const std::string& word : options.tolerances) SB_TRY_VOID(add_tolerance(word, rule));
  if (command.count("--ulp-max") > 0) rule.ulp_max = options.ulp_max;
  if (command.count("--cosine-min") > 0) rule.cosine_min = options.cosine_min;
  for (const std::string& list : options.ignored_prefixes) {
    for (const std::string& prefix : split_commas(list)) options.compare.ignored_prefixes.push_back(prefix);
  }
  if (!options.order_file.empty()) {
    SB_TRY(options.compare.order, read_names(options.order_file));
  }
  SB_TRY(weights::Checkpoint left, weights::open_checkpoint(options.left));
  SB_TRY(weights::Checkpoint right, weights::open_checkpoint(options.right));
  SB_TRY(weights::Comparison comparison, weights::compare(left, right, options.compare));
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
  command->add_option("--tolerance", options->tolerances,
                      frame.say(text("DTYPE=RELATIVE[:ABSOLUTE], or RELATIVE[:ABSOLUTE] for all floats; may be repeated",
                                     "类型=相对[:绝对]，或对所有浮点类型的 相对[:绝对]；可重复")));
  command->add_option("--ulp-max", options->ulp_max,
                      frame.say(text("floats agree within this many representable numbers, instead of the tolerance",
                                     "浮点数相差不超过这么多个可表示数即一致，代替容差")));
  command
      ->add_option("--cosine-min", options->cosine_min,
                   frame.say(text("besides, least cosine of each tensor", "另外要求每个张量的余弦下限")))
      ->check(CLI::Range(-1.0, 1.0));
  command->add_flag("--exact", options->compare.rule.is_exact, frame.say(text("every bit must agree", "要求逐位相同")));
  command->add_flag("--ignore-dtype", options->compare.rule.ignores_dtype,
                    frame.say(text("another dtype with agreeing values is no difference", "类型不同但数值一致不算差异")));
  command->add_flag("--ignore-missing", options->compare.rule.ignores_missing,
                    frame.say(text("tensors of one side only are no difference", "仅一侧有的张量不算差异")));
  command->add_option(
      "--ignore-prefix", options->ignored_prefixes,
      frame.say(text("leave these prefixes of names away, e.g. module.,_orig_mod.", "去掉名称前缀，例如 module.,_orig_mod.")));
  command->add_option("--order", options->order_file,
                      frame.say(text("file with tensor names in the order of the model", "按模型顺序列出张量名的文件")));
  command
      ->add_option("--threads", options->compare.thread_count,
                   frame.say(text("threads (default: all processors)", "线程数（默认：全部处理器）")))
      ->check(CLI::Range(1, 64));
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
}

}  // namespace starbridge::cli
