// starbridge compat NAME...: what public sources say about PyTorch names on a chip, with every contradiction shown.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"
#include "catalog/name_map.h"
#include "cli/frame.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::Json;
using base::Result;
using base::Table;
using base::text;
using catalog::ApiTable;
using catalog::Catalog;
using catalog::Chip;
using catalog::Evidence;
using catalog::Judgement;
using catalog::NameRow;
using catalog::Support;

struct CompatOptions {
  std::vector<std::string> names;
  std::string chip;
  std::string torch_version;
};

struct Answer {
  std::string name;
  std::vector<Evidence> evidence;
  Judgement judgement;
  NameRow mapped;  // status kUnknown with an empty source when the name map is silent
  bool is_mapped() const { return !mapped.source.empty() && mapped.note != "not_listed"; }
};

const base::Text& support_text(Support support) {
  static const std::vector<base::Text> kTexts = {{"runs on the device", "在设备上运行"},
                                                 {"runs with limits", "有限制地运行"},
                                                 {"decomposes into operators that run", "分解为可运行的算子"},
                                                 {"runs on the CPU", "回退到 CPU 运行"},
                                                 {"not supported", "不支持"},
                                                 {"unknown", "未知"}};
  return kTexts[static_cast<std::size_t>(support)];
}

std::string versions_cell(const Evidence& row) {
  if (row.torch_min.empty() && row.torch_max.empty()) return "-";
  if (row.torch_min == row.torch_max) return std::string(row.torch_min);
  if (row.torch_min.empty()) return fmt::format("<= {}", row.torch_max);
  if (row.torch_max.empty()) return fmt::format(">= {}", row.torch_min);
  return fmt::format("{}-{}", row.torch_min, row.torch_max);
}

void print_answer(const Context& context, const ApiTable& table, const Chip& chip, const Answer& answer) {
  auto title = [&](const char* en, const char* zh) { return context.is_chinese() ? std::string(zh) : std::string(en); };
  const Judgement& judgement = answer.judgement;
  context.out << context.style.bold(answer.name) << " @ " << chip.id << "\n";
  if (judgement.decided_by.has_value()) {
    context.out << "  " << context.say(support_text(judgement.status)) << "  "
                << context.style.dim(
                       context.say(text("confidence {:.2f} (assumed scale)", "可信度 {:.2f}（假定标度）", judgement.confidence)))
                << "\n";
    if (judgement.is_contested) {
      context.out << "  " << context.style.yellow(context.say(text("sources disagree", "来源相互矛盾"))) << "\n";
    }
  }
  if (answer.is_mapped()) {
    std::string target = answer.mapped.target.empty() ? title("no counterpart", "无对应物") : answer.mapped.target;
    context.out << "  " << catalog::to_string(answer.mapped.status) << ": " << target
                << (answer.mapped.note.empty() ? "" : "  (" + answer.mapped.note + ")") << "  "
                << context.style.dim(answer.mapped.source) << "\n";
  }
  if (answer.evidence.empty()) return;
  Table rows({{title("says", "结论")},
              {title("about", "对象")},
              {"PyTorch"},
              {title("hardware", "硬件")},
              {title("source", "来源")},
              {title("date", "日期")},
              {title("dtypes, remarks", "类型与说明")}});
  for (const Evidence& row : answer.evidence) {
    std::string remarks(row.dtypes);
    if (!row.vendor_name.empty()) remarks += (remarks.empty() ? "-> " : "; -> ") + std::string(row.vendor_name);
    if (!row.note.empty()) remarks += (remarks.empty() ? "" : "; ") + std::string(row.note);
    rows.add_row(
        {std::string(catalog::to_string(row.status)) + (row.covers_version ? "" : title(" (other version)", "（其他版本）")),
         std::string(row.name), versions_cell(row), row.hardware.empty() ? "-" : std::string(row.hardware),
         std::string(row.source), table.find_source(row.source)->date, remarks});
  }
  context.out << rows.render(context.style, "  ");
}

Json evidence_json(const ApiTable& table, const Evidence& row) {
  const catalog::Source* source = table.find_source(row.source);
  return {{"name", std::string(row.name)},
          {"status", std::string(catalog::to_string(row.status))},
          {"torch_min", std::string(row.torch_min)},
          {"torch_max", std::string(row.torch_max)},
          {"covers_version", row.covers_version},
          {"hardware", std::string(row.hardware)},
          {"dtypes", std::string(row.dtypes)},
          {"vendor_name", std::string(row.vendor_name)},
          {"note", std::string(row.note)},
          {"rank", row.rank},
          {"confidence", std::string(catalog::to_string(row.confidence))},
          {"source", std::string(row.source)},
          {"date", source->date},
          {"ref", source->ref},
          {"licence", source->licence}};
}

Json answer_json(const ApiTable& table, const Answer& answer) {
  const Judgement& judgement = answer.judgement;
  Json json = {{"name", answer.name},
               {"status", std::string(catalog::to_string(judgement.status))},
               {"confidence", judgement.confidence},
               {"is_contested", judgement.is_contested},
               {"decided_by", judgement.decided_by.has_value() ? Json(std::string(judgement.decided_by->source)) : Json(nullptr)},
               {"evidence", Json::array()}};
  for (const Evidence& row : answer.evidence) json["evidence"].push_back(evidence_json(table, row));
  if (answer.is_mapped()) {
    json["mapping"] = {{"status", std::string(catalog::to_string(answer.mapped.status))},
                       {"target", answer.mapped.target},
                       {"note", answer.mapped.note},
                       {"source", answer.mapped.source}};
  }
  return json;
}

// Short forms users type: "nn.GRU" and "GRU" stay what they are unless "torch." + name is known.
std::string complete_name(const ApiTable& table, const std::string& name) {
  if (table.knows(name) || !table.knows("torch." + name)) return name;
  return "torch." + name;
}

Error unknown_name(const ApiTable& table, const std::string& name, const Chip& chip) {
  Error error("catalog.unknown_api",
              text("no source says anything about \"{}\" on {}; that is not a promise that it runs",
                   "没有来源提及 {1} 上的“{0}”；这并不表示它可以运行", base::sanitize_utf8(name), chip.id));
  std::string near = table.nearest_name(name);
  if (near.empty()) near = table.nearest_name("torch." + name);
  if (near.empty()) return error;
  return std::move(error).next(text("did you mean {}?", "是否想用 {}？", near));
}

Result<base::ExitCode> run_compat(Context& context, const CompatOptions& options) {
  SB_TRY(Catalog catalog, Catalog::load_installed());
  SB_TRY(const Chip* chip, catalog.find_chip(options.chip));
  if (chip->stack->keeps_torch_cuda()) {
    return Error("catalog.no_profile", text("{} keeps the torch.cuda names; there is no support table for it",
                                            "{} 沿用 torch.cuda 命名，没有对应的支持表", chip->id))
        .next(text("name a chip with its own plug-in, for example ascend-910b3 or mlu370-x8",
                   "请选择有独立插件的芯片，例如 ascend-910b3 或 mlu370-x8"));
  }
  SB_TRY(ApiTable table, ApiTable::load(catalog.data_dir()));
  SB_TRY(catalog::NameMap names, catalog::NameMap::load(catalog.data_dir()));
  std::string hardware = chip->facts.text("support_class").value_or("");
  std::vector<Answer> answers;
  for (const std::string& typed : options.names) {
    Answer answer;
    answer.name = complete_name(table, typed);
    answer.evidence = table.find(answer.name, chip->stack->backend, options.torch_version, hardware);
    answer.judgement = ApiTable::judge(answer.evidence);
    answer.mapped = names.find(answer.name, chip->stack->backend);
    if (answer.evidence.empty() && !answer.is_mapped()) return unknown_name(table, typed, *chip);
    answers.push_back(std::move(answer));
  }
  if (context.json) {
    Json json = {{"schema", "starbridge.compat/1"},
                 {"chip", chip->id},
                 {"backend", chip->stack->backend},
                 {"torch_version", options.torch_version},
                 {"names", Json::array()}};
    for (const Answer& answer : answers) json["names"].push_back(answer_json(table, answer));
    context.print_json(json);
  } else {
    for (const Answer& answer : answers) print_answer(context, table, *chip, answer);
  }
  for (const Answer& answer : answers) {
    if (answer.judgement.status == Support::kUnsupported) return base::ExitCode::kAnswerIsNo;
  }
  return base::ExitCode::kDone;
}

}  // namespace

void add_compat_command(Frame& frame) {
  auto options = std::make_shared<CompatOptions>();
  CLI::App* command = frame.add(
      "compat", text("show what sources say about PyTorch names on a chip", "查看各来源对 PyTorch 名称在某芯片上的说法"),
      {"starbridge compat torch.nn.GRU --to ascend-910b3 --torch 2.7",
       "starbridge compat torch.isin aten::lgamma --to mlu370-x8 --json"});
  command
      ->add_option("names", options->names,
                   frame.say(text("names such as torch.nn.GRU or aten::isin", "名称，例如 torch.nn.GRU 或 aten::isin")))
      ->required();
  command->add_option("--to", options->chip, frame.say(text("the chip", "目标芯片")))->required();
  command
      ->add_option("--torch", options->torch_version,
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
