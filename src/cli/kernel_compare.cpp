#include "cli/kernel_compare.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "base/terminal.h"
#include "kernel/number_comparison.h"
#include "weights/checkpoint.h"
#include "weights/kernels.h"
#include "weights/tensor_reader.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;
using kernel::NumberRow;

namespace {

constexpr std::uint64_t kElementsMax = 1ULL << 28;  // of one tensor; held in memory as doubles

struct CompareOptions {
  std::string left, right, reference;
  std::string accuracy = "approximate", precision = "fp32";
  std::vector<std::string> arguments;
  int time_limit_s = 600;
};

base::Result<kernel::NumberSet> read_tensors(const std::string& path) {
  SB_TRY(weights::Checkpoint checkpoint, weights::open_checkpoint(path));
  kernel::NumberSet set;
  for (const weights::Tensor& tensor : checkpoint.tensors) {
    const std::uint64_t count = weights::element_count(tensor);
    const auto widen = weights::kernels().widen[static_cast<std::size_t>(tensor.dtype)];
    if (widen == nullptr || count > kElementsMax || tensor.storage == weights::kNoStorage)
      return base::Error("kernel.compare_failed",
                         text("tensor {} has no numbers that can be compared", "张量 {} 没有可比较的数值", tensor.name))
          .at(path);
    std::vector<std::byte> bytes(weights::byte_count(tensor));
    weights::TensorReader reader(checkpoint, tensor);
    SB_TRY_VOID(reader.read(bytes));
    std::vector<double>& values = set.numbers[tensor.name];
    values.resize(count);
    widen(bytes.data(), count, values.data());
  }
  return set;
}

base::Result<kernel::NumberSet> take_side(const std::string& path, const CompareOptions& options) {
  if (!std::filesystem::exists(path))
    return base::Error("base.file_not_found", text("there is no such file", "没有这个文件")).at(path);
  if (!kernel::is_kernel_program(path)) return read_tensors(path);
  kernel::RunRequest request;
  request.path = path;
  request.arguments = options.arguments;
  request.time_limit_s = options.time_limit_s;
  return kernel::run_for_numbers(request);
}

Json figures_json(const kernel::Figures& f) {
  Json json = {{"count", f.count},
               {"unequal", f.unequal},
               {"pattern_unequal", f.pattern_unequal},
               {"diff1", f.diff1},
               {"diff2", f.diff2},
               {"diff3_relative", f.diff3_relative},
               {"diff3_absolute", f.diff3_absolute},
               {"diff4_up", f.diff4_up},
               {"diff4_down", f.diff4_down},
               {"mere", f.mere},
               {"mare", f.mare}};
  if (f.first) json["first"] = *f.first;
  return json;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void print_rows(const Context& context, const std::vector<NumberRow>& rows, bool agrees) {
  base::Table table({{context.say(text("numbers", "数值"))},
                     {context.say(text("agree", "一致"))},
                     {context.say(text("count", "个数"))},
                     {context.say(text("unequal", "不等"))},
                     {"diff1"},
                     {"diff2"},
                     {"diff3 rel"},
                     {"diff3 abs"},
                     {"MERE"},
                     {"MARE"}});
  for (const NumberRow& row : rows) {
    const kernel::Figures& f = row.verdict.figures;
    const std::string verdict =
        row.refused.empty() ? context.say(row.verdict.agrees ? text("yes", "是") : text("no", "否")) : row.refused;
    table.add_row({row.name, verdict, std::to_string(f.count), std::to_string(f.unequal), short_number(f.diff1),
                   short_number(f.diff2), short_number(f.diff3_relative), short_number(f.diff3_absolute), short_number(f.mere),
                   short_number(f.mare)});
  }
  context.out << table.render(context.style);
  context.out << context.say(agrees ? text("the two agree", "两者一致") : text("the two do not agree", "两者不一致")) << "\n";
}

base::Result<ExitCode> compare(const Context& context, const CompareOptions& options) {
  const auto which = kernel::accuracy_class(options.accuracy);
  const auto precision = kernel::precision(options.precision);
  if (!which || !precision)
    return base::Error("base.usage", text("unknown --class or --precision", "未知的 --class 或 --precision"));
  SB_TRY(kernel::NumberSet left, take_side(options.left, options));
  SB_TRY(kernel::NumberSet right, take_side(options.right, options));
  kernel::NumberSet reference;
  if (!options.reference.empty()) {
    SB_TRY(reference, take_side(options.reference, options));
  }
  const kernel::NumberComparison comparison =
      kernel::compare_numbers(left, std::move(right), std::move(reference), *which, *precision);
  if (context.json) {
    Json list = Json::array();
    for (const NumberRow& row : comparison.rows) {
      Json json = {{"name", row.name}, {"agrees", row.agrees()}};
      if (!row.refused.empty())
        json["refused"] = row.refused;
      else
        json["figures"] = figures_json(row.verdict.figures);
      if (row.verdict.golden_own) {
        json["left_to_reference"] = figures_json(*row.verdict.golden_own);
        json["right_to_reference"] = figures_json(*row.verdict.got_own);
      }
      if (const auto& small = row.verdict.small)
        json["small_values"] = {{"count", small->count}, {"left_errors", small->golden}, {"right_errors", small->got}};
      list.push_back(json);
    }
    context.print_json({{"schema", "starbridge.kernel_compare/1"},
                        {"left", options.left},
                        {"right", options.right},
                        {"class", kernel::to_string(*which)},
                        {"precision", options.precision},
                        {"agrees", comparison.agrees},
                        {"words_differ", comparison.words_differ},
                        {"results", list}});
  } else {
    print_rows(context, comparison.rows, comparison.agrees);
    if (comparison.words_differ)
      context.out << context.say(text("the words around the numbers differ", "数值之外的文字不同")) << "\n";
  }
  return comparison.agrees ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

}  // namespace

void add_kernel_compare(Frame& frame, CLI::App* group) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = frame.add(
      "compare", text("Compare the numbers of two programs or of two files of tensors.", "比较两个程序或两个张量文件的数值。"),
      {"starbridge kernel compare softmax.cu softmax.mlu",
       "starbridge kernel compare a.npy b.npy --class reordered --reference exact.npy"},
      group);
  command
      ->add_option("LEFT", options->left,
                   frame.say(text("program (.cu, .mlu, folder) or file of tensors", "程序（.cu、.mlu、目录）或张量文件")))
      ->required();
  command->add_option("RIGHT", options->right, frame.say(text("what is judged against it", "与之比较的一方")))->required();
  command->add_option("ARGUMENTS", options->arguments,
                      frame.say(text("both programs' own arguments, after --", "两个程序自己的参数，写在 -- 之后")));
  command
      ->add_option(
          "--class", options->accuracy,
          frame.say(text("exact, reordered (sums) or approximate (functions)", "exact、reordered（求和）或 approximate（函数）")))
      ->capture_default_str()
      ->check(CLI::IsMember({"exact", "reordered", "approximate", "E", "R", "A"}));
  command
      ->add_option("--precision", options->precision,
                   frame.say(text("of the numbers: fp16, bf16, fp32, fp64", "数值精度：fp16、bf16、fp32、fp64")))
      ->capture_default_str()
      ->check(CLI::IsMember({"fp16", "bf16", "fp32", "fp64"}));
  command->add_option("--reference", options->reference,
                      frame.say(text("the same in double, for reordered sums", "双精度的参考结果，用于重排求和")));
  command
      ->add_option("--time-limit", options->time_limit_s, frame.say(text("seconds each program may run", "每个程序的时限（秒）")))
      ->capture_default_str();
  frame.on_run(command, [&frame, options] { return compare(frame.context(), *options); });
}

}  // namespace starbridge::cli
