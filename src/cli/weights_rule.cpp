#include "cli/weights_rule.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/files.h"

namespace starbridge::cli {

using base::Error;
using base::text;

namespace {

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

base::Result<std::vector<std::string>> read_names(const std::string& path) {
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

}  // namespace

void add_rule_options(Frame& frame, CLI::App* command, RuleWords& words) {
  command->add_option("--tolerance", words.tolerances,
                      frame.say(text("DTYPE=RELATIVE[:ABSOLUTE], or RELATIVE[:ABSOLUTE] for all floats; may be repeated",
                                     "类型=相对[:绝对]，或对所有浮点类型的 相对[:绝对]；可重复")));
  command->add_option("--ulp-max", words.ulp_max,
                      frame.say(text("floats agree within this many representable numbers, instead of the tolerance",
                                     "浮点数相差不超过这么多个可表示数即一致，代替容差")));
  command
      ->add_option("--cosine-min", words.cosine_min,
                   frame.say(text("besides, least cosine of each tensor", "另外要求每个张量的余弦下限")))
      ->check(CLI::Range(-1.0, 1.0));
  command->add_flag("--exact", words.compare.rule.is_exact, frame.say(text("every bit must agree", "要求逐位相同")));
  command->add_flag("--ignore-dtype", words.compare.rule.ignores_dtype,
                    frame.say(text("another dtype with agreeing values is no difference", "类型不同但数值一致不算差异")));
  command->add_flag("--ignore-missing", words.compare.rule.ignores_missing,
                    frame.say(text("tensors of one side only are no difference", "仅一侧有的张量不算差异")));
  command->add_option("--order", words.order_file,
                      frame.say(text("file with names in the order of the model", "按模型顺序列出名称的文件")));
  command
      ->add_option("--threads", words.compare.thread_count,
                   frame.say(text("threads (default: all processors)", "线程数（默认：全部处理器）")))
      ->check(CLI::Range(1, 64));
}

base::Result<weights::CompareOptions> read_rule(const RuleWords& words, const CLI::App& command) {
  weights::CompareOptions options = words.compare;
  for (const std::string& word : words.tolerances) SB_TRY_VOID(add_tolerance(word, options.rule));
  if (command.count("--ulp-max") > 0) options.rule.ulp_max = words.ulp_max;
  if (command.count("--cosine-min") > 0) options.rule.cosine_min = words.cosine_min;
  if (!words.order_file.empty()) {
    SB_TRY(options.order, read_names(words.order_file));
  }
  return options;
}

}  // namespace starbridge::cli
