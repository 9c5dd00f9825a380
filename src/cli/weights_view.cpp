#include "cli/weights_view.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <ostream>

#include "weights/natural_order.h"
#include "weights/report.h"

namespace starbridge::cli {

using base::Table;
using base::text;
using weights::Checkpoint;
using weights::Comparison;
using weights::Outcome;
using weights::Tensor;
using weights::TensorResult;

std::string format_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_figure(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

const base::Text& outcome_text(Outcome outcome) {
  static const std::vector<base::Text> kTexts = {
      {"identical", "完全相同"},           {"within tolerance", "容差内"}, {"differs", "不一致"},
      {"shape differs", "形状不同"},       {"dtype differs", "类型不同"},  {"only in the first", "仅第一份有"},
      {"only in the second", "仅第二份有"}};
  return kTexts[static_cast<std::size_t>(outcome)];
}

namespace {

std::string notes_of(const Context& context, const Checkpoint& checkpoint, const Tensor& tensor, std::size_t tied) {
  std::string notes;
  auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : ", ") + note; };
  if (tied != SIZE_MAX) add(context.say(text("tied to {}", "与 {} 共享", checkpoint.tensors[tied].name)));
  if (tensor.is_conjugated) add(context.say(text("conjugated", "共轭")));
  if (tensor.is_negated) add(context.say(text("negated", "取负")));
  if (tensor.storage != weights::kNoStorage && checkpoint.storages[tensor.storage].is_big_endian)
    add(context.say(text("big-endian", "大端")));
  return notes;
}

void print_list(const Context& context, const base::Text& title, const std::map<std::string, std::size_t>& counts) {
  if (counts.empty()) return;
  context.out << context.say(title);
  bool is_first = true;
  for (const auto& [name, count] : counts) {
    context.out << (is_first ? " " : ", ") << name << " x " << count;
    is_first = false;
  }
  context.out << "\n";
}

void print_summary(const Context& context, const Checkpoint& checkpoint) {
  std::map<std::string, std::size_t> dtypes, devices;
  std::uint64_t elements = 0;
  for (const Tensor& tensor : checkpoint.tensors) {
    ++dtypes[std::string(weights::info(tensor.dtype).name)];
    if (!tensor.device.empty()) ++devices[tensor.device];
    elements += weights::element_count(tensor);
  }
  context.out << context.style.bold(checkpoint.path) << "  " << weights::to_string(checkpoint.format) << "  "
              << context.say(text("{} tensors, {} elements, {} in {} files", "{} 个张量，{} 个元素，{}，{} 个文件",
                                  checkpoint.tensors.size(), elements, format_bytes(checkpoint.file_bytes),
                                  checkpoint.files.size()))
              << "\n";
  print_list(context, text("dtypes:", "数据类型："), dtypes);
  print_list(context, text("device tags:", "设备标签："), devices);
}

}  // namespace

void print_checkpoint(const Context& context, const Checkpoint& checkpoint) {
  print_summary(context, checkpoint);
  Table table({{context.say(text("tensor", "张量"))},
               {context.say(text("dtype", "类型"))},
               {context.say(text("shape", "形状"))},
               {context.say(text("device", "设备"))},
               {context.say(text("strides", "步长"))},
               {context.say(text("offset", "偏移")), Table::Align::kRight},
               {context.say(text("bytes", "字节")), Table::Align::kRight},
               {context.say(text("remarks", "备注"))}});
  std::vector<std::size_t> tied = weights::tied_to(checkpoint);
  for (std::size_t index = 0; index < checkpoint.tensors.size(); ++index) {
    const Tensor& tensor = checkpoint.tensors[index];
    table.add_row({tensor.name, std::string(weights::info(tensor.dtype).name), weights::shape_text(tensor.shape),
                   tensor.device.empty() ? "-" : tensor.device,
                   weights::is_contiguous(tensor) ? "-" : weights::shape_text(tensor.strides), std::to_string(tensor.offset),
                   std::to_string(tensor.storage == weights::kNoStorage ? 0 : weights::byte_count(tensor)),
                   notes_of(context, checkpoint, tensor, tied[index])});
  }
  if (table.row_count() > 0) context.out << table.render(context.style);
  for (const auto& [key, value] : checkpoint.metadata) {
    context.out << context.style.dim(key + " = " + value.substr(0, 200)) << "\n";
  }
  if (checkpoint.other_value_count > 0) {
    context.out << context.say(text("other values: {}", "其他值：{} 个", checkpoint.other_value_count));
    if (!checkpoint.other_values.empty())
      context.out << "  (" << checkpoint.other_values.front() << (checkpoint.other_values.size() > 1 ? ", ..." : "") << ")";
    context.out << "\n";
  }
  print_list(context, text("objects kept closed (never called):", "未打开的对象（从未调用）："), checkpoint.closed_objects);
  for (const std::string& name : checkpoint.dangerous) {
    context.out << context.style.red(
                       context.say(text("warning: this file asks for {}; an ordinary unpickler would load or run it",
                                        "警告：该文件请求 {}；普通的反序列化会加载或执行它", name)))
                << "\n";
  }
  for (const base::Text& remark : checkpoint.remarks) context.out << context.style.yellow(context.say(remark)) << "\n";
}

namespace {

std::string type_cell(const TensorResult& result) {
  const Tensor& shown = result.left != nullptr ? *result.left : *result.right;
  std::string name(weights::info(shown.dtype).short_name);
  if (result.left != nullptr && result.right != nullptr && result.left->dtype != result.right->dtype) {
    name += " / " + std::string(weights::info(result.right->dtype).short_name);
  }
  return name;
}

std::string shape_cell(const TensorResult& result) {
  const Tensor& shown = result.left != nullptr ? *result.left : *result.right;
  std::string shape = weights::shape_text(shown.shape);
  return result.outcome == Outcome::kWrongShape ? shape + " / " + weights::shape_text(result.right->shape) : shape;
}

std::string share_cell(std::uint64_t part, std::uint64_t whole) {
  if (part == 0) return "0";
  double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.01 ? "<0.01%" : fmt::format("{:.2f}%", percent);
}

void add_result(const Context& context, const TensorResult& result, Table& table) {
  const base::Style& style = context.style;
  std::string verdict = context.say(outcome_text(result.outcome));
  std::vector<std::string> cells = {result.name, result.agrees ? style.green(verdict) : style.red(verdict), type_cell(result),
                                    shape_cell(result)};
  if (result.has_figures) {
    cells.push_back(format_figure(result.tally.absolute_max));
    cells.push_back(format_figure(result.tally.relative_max));
    cells.push_back(result.has_ulp ? std::to_string(result.tally.ulp_max) : "-");
    cells.push_back(std::isnan(result.cosine) ? "-" : fmt::format("{:.9g}", result.cosine));
    cells.push_back(share_cell(result.tally.beyond, result.tally.count));
    std::string remark;
    if (result.tally.nan_mismatch > 0)
      remark = context.say(text("NaN on one side: {}", "单侧 NaN：{}", result.tally.nan_mismatch));
    cells.push_back(remark);
  }
  table.add_row(std::move(cells));
}

}  // namespace

void print_comparison(const Context& context, const Comparison& comparison, std::size_t rows_max) {
  Table table({{context.say(text("tensor", "张量"))},
               {context.say(text("result", "结果"))},
               {context.say(text("dtype", "类型"))},
               {context.say(text("shape", "形状"))},
               {context.say(text("max abs", "最大绝对误差")), Table::Align::kRight},
               {context.say(text("max rel", "最大相对误差")), Table::Align::kRight},
               {"ULP", Table::Align::kRight},
               {context.say(text("cosine", "余弦")), Table::Align::kRight},
               {context.say(text("beyond", "超差")), Table::Align::kRight},
               {context.say(text("remarks", "备注"))}});
  std::map<Outcome, std::size_t> counts;
  std::size_t left_out = 0;
  for (const TensorResult& result : comparison.tensors) {
    ++counts[result.outcome];
    if (rows_max > 0 && result.outcome == Outcome::kIdentical) continue;
    if (rows_max > 0 && table.row_count() >= rows_max) {
      ++left_out;
    } else {
      add_result(context, result, table);
    }
  }
  if (table.row_count() > 0) context.out << table.render(context.style);
  if (left_out > 0) {
    context.out << context.say(text("{} more; --all shows every tensor", "另有 {} 个；--all 显示全部", left_out)) << "\n";
  }
  std::string summary;
  for (const auto& [outcome, count] : counts)
    summary += (summary.empty() ? "" : ", ") + context.say(outcome_text(outcome)) + " " + std::to_string(count);
  context.out << context.say(text("{} tensors: {}", "{} 个张量：{}", comparison.tensors.size(), summary)) << "\n";
  if (comparison.agrees) {
    context.out << context.style.green(context.say(text("the weights agree", "权重一致"))) << "\n";
    return;
  }
  const std::string& name = comparison.tensors[*comparison.first_diverging].name;
  context.out << context.style.red(context.say(text("the weights differ, first at {} (layer {})",
                                                    "权重不一致，最先出现在 {}（层 {}）", name, weights::layer_of(name))))
              << "\n";
  context.out << context.style.dim(context.say(comparison.order_source == weights::OrderSource::kNames
                                                   ? text("order guessed from the names; --order FILE gives the model's own",
                                                          "顺序由名称推断；可用 --order 文件给出模型顺序")
                                               : comparison.order_source == weights::OrderSource::kGiven
                                                   ? text("in the given order", "按给定顺序")
                                                   : text("in the order of the model", "按模型顺序")))
              << "\n";
}

}  // namespace starbridge::cli
