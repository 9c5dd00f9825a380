// starbridge weights dump-compare: two folders of tensor dumps, and the first operator that computes something else.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "cli/weights_rule.h"
#include "cli/weights_tools.h"
#include "cli/weights_view.h"
#include "weights/dump_compare.h"

namespace starbridge::cli {
namespace {

using base::ExitCode;
using base::Json;
using base::Result;
using base::Table;
using base::text;
using weights::DumpComparison;
using weights::DumpResult;
using weights::OperatorResult;

constexpr std::size_t kRowsShown = 40;

struct Words {
  std::string left;
  std::string right;
  RuleWords rule;
  bool by_time = false;
  bool shows_all = false;
};

const base::Text& role_text(weights::Role role) {
  static const std::vector<base::Text> kTexts = {{"input", "输入"}, {"output", "输出"}, {"parameter", "参数"}};
  return kTexts[static_cast<std::size_t>(role)];
}

base::Text order_text(weights::DumpOrder order) {
  switch (order) {
    case weights::DumpOrder::kGiven:
      return text("in the given order", "按给定顺序");
    case weights::DumpOrder::kRecord:
      return text("in the order of dump.json", "按 dump.json 的顺序");
    case weights::DumpOrder::kNumbers:
      return text("in the order of the numbers in the file names", "按文件名中的编号顺序");
    case weights::DumpOrder::kTime:
      return text("in the order in which the files were written", "按文件写入时间顺序");
    case weights::DumpOrder::kNames:
      break;
  }
  return text("in the order of the names, which may not be that of the run; --by-time or --order FILE gives another",
              "按名称顺序，未必是执行顺序；可用 --by-time 或 --order 文件");
}

void add_row(const Context& context, const DumpResult& tensor, Table& table) {
  const weights::TensorResult& result = tensor.result;
  std::string verdict = context.say(outcome_text(result.outcome));
  std::vector<std::string> cells = {tensor.entry.key, tensor.entry.op, context.say(role_text(tensor.entry.role)),
                                    result.agrees ? context.style.green(verdict) : context.style.red(verdict)};
  if (result.has_figures) {
    cells.push_back(format_figure(result.tally.absolute_max));
    cells.push_back(format_figure(result.tally.relative_max));
    cells.push_back(result.has_ulp ? std::to_string(result.tally.ulp_max) : "-");
    cells.push_back(std::isnan(result.cosine) ? "-" : fmt::format("{:.9g}", result.cosine));
    cells.push_back(
        fmt::format("{:.2f}%", 100.0 * static_cast<double>(result.tally.beyond) / static_cast<double>(result.tally.count)));
  }
  table.add_row(std::move(cells));
}

void print_verdict(const Context& context, const DumpComparison& comparison) {
  std::size_t differing = 0;
  for (const OperatorResult& op : comparison.operators) differing += op.agrees ? 0 : 1;
  context.out << context.say(text("{} operators, {} tensors; {} operators differ", "{} 个算子，{} 个张量；{} 个算子不一致",
                                  comparison.operators.size(), comparison.tensors.size(), differing))
              << "  " << context.style.dim(context.say(order_text(comparison.order))) << "\n";
  if (comparison.agrees) {
    context.out << context.style.green(context.say(text("the dumps agree", "转储一致"))) << "\n";
    return;
  }
  const OperatorResult& first = comparison.operators[*comparison.first_diverging];
  base::Text why = first.cause == weights::Cause::kOperator ? text("its recorded inputs agree", "其输入一致")
                   : first.cause == weights::Cause::kInput  ? text("an input of it differs already", "其输入已不一致")
                                                            : text("its inputs were not recorded", "未记录其输入");
  context.out << context.style.red(context.say(
                     text("first diverging operator: {} ({})", "最先不一致的算子：{}（{}）", first.name, context.say(why))))
              << "\n";
  if (comparison.first_made_here && comparison.first_made_here != comparison.first_diverging) {
    context.out << context.say(text("first operator with agreeing inputs and differing outputs: {}",
                                    "最先输入一致而输出不一致的算子：{}", comparison.operators[*comparison.first_made_here].name))
                << "\n";
  }
  if (comparison.first_nan) {
    context.out << context.say(text("first NaN or infinity of the second side only: {}", "仅第二份最先出现 NaN 或无穷：{}",
                                    comparison.tensors[*comparison.first_nan].entry.key))
                << "\n";
  }
}

void print_comparison(const Context& context, const DumpComparison& comparison, bool shows_all) {
  Table table({{context.say(text("dump", "转储"))},
               {context.say(text("operator", "算子"))},
               {context.say(text("role", "角色"))},
               {context.say(text("result", "结果"))},
               {context.say(text("max abs", "最大绝对误差")), Table::Align::kRight},
               {context.say(text("max rel", "最大相对误差")), Table::Align::kRight},
               {"ULP", Table::Align::kRight},
               {context.say(text("cosine", "余弦")), Table::Align::kRight},
               {context.say(text("beyond", "超差")), Table::Align::kRight}});
  std::size_t left_out = 0;
  for (const DumpResult& tensor : comparison.tensors) {
    if (!shows_all && tensor.result.agrees) continue;
    if (!shows_all && table.row_count() >= kRowsShown) {
      ++left_out;
    } else {
      add_row(context, tensor, table);
    }
  }
  if (table.row_count() > 0) context.out << table.render(context.style);
  if (left_out > 0)
    context.out << context.say(text("{} more; --all shows every tensor", "另有 {} 个；--all 显示全部", left_out)) << "\n";
  print_verdict(context, comparison);
}

Result<ExitCode> run_dump_compare(const Context& context, const Words& words, const CLI::App& command) {
  SB_TRY(weights::CompareOptions compare, read_rule(words.rule, command));
  weights::DumpOptions options{words.by_time, compare.order};
  SB_TRY(weights::DumpFolder left, weights::read_dump_folder(words.left, options));
  SB_TRY(weights::DumpFolder right, weights::read_dump_folder(words.right, options));
  SB_TRY(DumpComparison comparison, weights::compare_dumps(left, right, compare));
  if (context.json) {
    Json json = {{"schema", "starbridge.weights_dump_compare/1"}, {"first", words.left}, {"second", words.right}};
    Json body = weights::to_json(comparison);
    for (const auto& [key, value] : body.items()) json[key] = value;
    context.print_json(json);
  } else {
    print_comparison(context, comparison, words.shows_all);
  }
  return comparison.agrees ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

}  // namespace

void add_weights_dump_compare(Frame& frame, CLI::App* parent) {
  auto words = std::make_shared<Words>();
  words->rule.compare.rule = weights::dump_rule();
  CLI::App* command = frame.add("dump-compare",
                                text("compare two folders of tensor dumps and name the first diverging operator",
                                     "比较两个张量转储目录，指出最先不一致的算子"),
                                {"starbridge weights dump-compare ./dump-gpu ./dump-npu",
                                 "starbridge weights dump-compare a b --tolerance bf16=0.02 --by-time --json"},
                                parent);
  command->add_option("FIRST", words->left, frame.say(text("folder of the reference run", "参考运行的目录")))->required();
  command->add_option("SECOND", words->right, frame.say(text("folder of the other run", "另一次运行的目录")))->required();
  add_rule_options(frame, command, words->rule);
  command->add_flag("--by-time", words->by_time,
                    frame.say(text("order by the time the files were written", "按文件写入时间排序")));
  command->add_flag("--all", words->shows_all, frame.say(text("show agreeing tensors as well", "同时显示一致的张量")));
  frame.on_run(command, [&frame, words, command] { return run_dump_compare(frame.context(), *words, *command); });
}

}  // namespace starbridge::cli
