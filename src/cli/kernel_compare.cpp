#include "cli/kernel_compare.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>

#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "kernel/accuracy.h"
#include "kernel/machine.h"
#include "kernel/program.h"
#include "weights/checkpoint.h"
#include "weights/kernels.h"
#include "weights/tensor_reader.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kElementsMax = 1ULL << 28;  // of one tensor; held in memory as doubles

struct CompareOptions {
  std::string left, right, reference;
  std::string accuracy = "approximate", precision = "fp32";
  std::vector<std::string> arguments;
  std::string card;
  int time_limit_s = 600;
};

// What one side says: numbers by name, and for a program the words around them.
struct Side {
  std::map<std::string, std::vector<double>> numbers;
  std::string words;
  bool is_program = false;
};

bool is_program(const std::string& path) {
  if (fs::is_directory(path)) {
    base::Result<std::vector<std::string>> sources = kernel::sources_of(path);
    return sources.ok() && !sources->empty();
  }
  return kernel::machine_of_source(path) != nullptr;
}

base::Result<Side> run_side(const std::string& path, const CompareOptions& options) {
  kernel::RunRequest request;
  request.path = path;
  request.arguments = options.arguments;
  request.card = options.card;
  request.time_limit_s = options.time_limit_s;
  SB_TRY(kernel::RunReport report, kernel::run_program(request));
  if (!report.ran_well())
    return base::Error("kernel.compare_failed", text("the program ended with {}", "程序以 {} 结束", report.exit_code)).at(path);
  kernel::OutputNumbers found = kernel::read_numbers(report.output);
  Side side;
  side.is_program = true;
  side.numbers["output"] = std::move(found.numbers);
  side.words = std::move(found.words);
  return side;
}

base::Result<Side> read_side(const std::string& path) {
  SB_TRY(weights::Checkpoint checkpoint, weights::open_checkpoint(path));
  Side side;
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
    std::vector<double>& values = side.numbers[tensor.name];
    values.resize(count);
    widen(bytes.data(), count, values.data());
  }
  return side;
}

base::Result<Side> take_side(const std::string& path, const CompareOptions& options) {
  if (!fs::exists(path)) return base::Error("base.file_not_found", text("there is no such file", "没有这个文件")).at(path);
  return is_program(path) ? run_side(path, options) : read_side(path);
}

// A file with one tensor (.npy) is named after the file, a program's numbers are its output: what there is one of on every side belongs
// together.
void pair_lone_numbers(const Side& left, Side& other) {
  if (left.numbers.size() != 1 || other.numbers.size() != 1) return;
  auto only = other.numbers.extract(other.numbers.begin());
  only.key() = left.numbers.begin()->first;
  other.numbers.insert(std::move(only));
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

struct Row {
  std::string name;
  kernel::Verdict verdict;
  std::string refused;  // no figures: sizes or names differ
};

std::vector<Row> compare_sides(const Side& left, const Side& right, const Side& reference, kernel::AccuracyClass which,
                               kernel::Precision precision) {
  std::vector<Row> rows;
  for (const auto& [name, golden] : left.numbers) {
    Row row{name, {}, ""};
    auto found = right.numbers.find(name);
    auto known = reference.numbers.find(name);
    static const std::vector<double> none;
    const std::vector<double>& exact = known == reference.numbers.end() ? none : known->second;
    if (found == right.numbers.end())
      row.refused = "only-left";
    else if (found->second.size() != golden.size() || (!exact.empty() && exact.size() != golden.size()))
      row.refused = "count";
    else
      row.verdict = kernel::judge(which, precision, golden, found->second, exact);
    rows.push_back(std::move(row));
  }
  for (const auto& [name, values] : right.numbers) {
    if (left.numbers.count(name) == 0) rows.push_back({name, {}, "only-right"});
  }
  return rows;
}

void print_rows(const Context& context, const std::vector<Row>& rows, bool agrees) {
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
  for (const Row& row : rows) {
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
  SB_TRY(Side left, take_side(options.left, options));
  SB_TRY(Side right, take_side(options.right, options));
  Side reference;
  if (!options.reference.empty()) {
    SB_TRY(reference, take_side(options.reference, options));
  }
  pair_lone_numbers(left, right);
  pair_lone_numbers(left, reference);
  const std::vector<Row> rows = compare_sides(left, right, reference, *which, *precision);
  const bool words_differ = left.is_program && right.is_program && left.words != right.words;
  bool agrees = !rows.empty() && !words_differ;
  for (const Row& row : rows) agrees &= row.refused.empty() && row.verdict.agrees;
  if (context.json) {
    Json list = Json::array();
    for (const Row& row : rows) {
      Json json = {{"name", row.name}, {"agrees", row.refused.empty() && row.verdict.agrees}};
      if (!row.refused.empty())
        json["refused"] = row.refused;
      else
        json["figures"] = figures_json(row.verdict.figures);
      if (row.verdict.golden_own) {
        json["left_to_reference"] = figures_json(*row.verdict.golden_own);
        json["right_to_reference"] = figures_json(*row.verdict.got_own);
      }
      list.push_back(json);
    }
    context.print_json({{"schema", "starbridge.kernel_compare/1"},
                        {"left", options.left},
                        {"right", options.right},
                        {"class", kernel::to_string(*which)},
                        {"precision", options.precision},
                        {"agrees", agrees},
                        {"words_differ", words_differ},
                        {"results", list}});
  } else {
    print_rows(context, rows, agrees);
    if (words_differ) context.out << context.say(text("the words around the numbers differ", "数值之外的文字不同")) << "\n";
  }
  return agrees ? ExitCode::kDone : ExitCode::kAnswerIsNo;
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
