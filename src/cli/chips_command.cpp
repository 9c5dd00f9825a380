// starbridge chips [ID]: what is known about accelerator models. Reads data/chips, data/stacks and data/prices only.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "catalog/catalog.h"
#include "cli/frame.h"

namespace starbridge::cli {
namespace {

using base::Json;
using base::Result;
using base::Table;
using base::text;
using catalog::Catalog;
using catalog::Chip;
using catalog::Confidence;
using catalog::Fact;
using catalog::Facts;
using catalog::Observation;
using catalog::PriceRow;

struct ChipsOptions {
  std::string chip;
  std::string vendor;
};

// Marks of a figure in the list: sources disagree, or nobody published it.
constexpr const char* kContestedMark = "*";
constexpr const char* kAssumedMark = "~";

std::string mark(const Fact* fact) {
  if (fact == nullptr) return "";
  return std::string(fact->is_contested() ? kContestedMark : "") +
         (fact->chosen().confidence == Confidence::kAssumed ? kAssumedMark : "");
}

std::string figure(const Facts& facts, std::string_view name, double divisor = 1) {
  std::optional<double> value = facts.number(name);
  if (!value.has_value()) return "-";
  return fmt::format("{:g}", *value / divisor) + mark(facts.find(name));
}

std::string price_cell(const PriceRow* row) {
  if (row == nullptr) return "-";
  return base::format_yuan(row->price) + (row->confidence == Confidence::kAssumed ? kAssumedMark : "");
}

std::string plugin_cell(const Context& context, const Chip& chip) {
  if (std::optional<std::string> module = chip.stack->plugin_module()) return *module;
  return context.say(text("torch.cuda kept", "沿用 torch.cuda"));
}

void print_list(Context& context, const Catalog& catalog, const std::vector<const Chip*>& chips) {
  auto title = [&](const char* en, const char* zh) { return context.is_chinese() ? std::string(zh) : std::string(en); };
  using Align = Table::Align;
  Table table({{title("chip", "芯片")},
               {title("vendor", "厂商")},
               {title("GiB", "显存 GiB"), Align::kRight},
               {"BF16", Align::kRight},
               {"FP16", Align::kRight},
               {"GB/s", Align::kRight},
               {"W", Align::kRight},
               {title("yuan/h", "元/时"), Align::kRight},
               {title("PyTorch", "PyTorch")}});
  constexpr double kGibibyte = 1073741824;
  for (const Chip* chip : chips) {
    std::string bf16 = chip->dtype_status("bfloat16") == "unsupported" ? context.say(text("none", "无"))
                                                                       : figure(chip->facts, "peak_bf16_tflops");
    table.add_row({chip->id, chip->vendor, figure(chip->facts, "memory_bytes", kGibibyte), bf16,
                   figure(chip->facts, "peak_fp16_tflops"), figure(chip->facts, "memory_gbps"),
                   figure(chip->facts, "power_watts_max"), price_cell(catalog.prices().chosen(chip->id)),
                   plugin_cell(context, *chip)});
  }
  context.out << table.render(context.style);
  context.out << context.style.dim(context.say(text(
                     "BF16, FP16: dense peak in TFLOPS.  {} sources disagree   {} assumed, no document   - unknown",
                     "BF16、FP16：稠密峰值（TFLOPS）。{} 来源不一致   {} 假定值，无文献   - 未知", kContestedMark, kAssumedMark)))
              << "\n";
  context.note(
      text("next: starbridge chips ID shows every figure with its source", "下一步：starbridge chips ID 查看每个数值及其来源"));
}

std::string observed_value(const catalog::FactKind* kind, const Observation& observation) {
  if (kind == nullptr || kind->unit.empty()) return observation.value;
  if (kind->unit == "bytes") {
    double bytes = std::stod(observation.value);
    return bytes >= 1073741824 ? fmt::format("{:g} GiB", bytes / 1073741824) : fmt::format("{:g} MiB", bytes / 1048576);
  }
  return observation.value + " " + kind->unit;
}

void add_observations(const Context& context, const Catalog& catalog, const Facts& facts, Table& table) {
  for (const Fact& fact : facts.all()) {
    const catalog::FactKind* kind = catalog.find_fact_kind(fact.name);
    std::string title = kind == nullptr ? fact.name : context.say(kind->title);
    for (const Observation& observation : fact.observations) {
      bool is_chosen = &observation == &fact.chosen();
      const catalog::Source* source = catalog.find_source(observation.source);
      std::string note = observation.via.empty() ? observation.note
                                                 : observation.via + (observation.note.empty() ? "" : ": " + observation.note);
      table.add_row({&observation == &fact.observations.front() ? title : "",
                     (is_chosen ? "> " : "  ") + observed_value(kind, observation),
                     std::string(catalog::to_string(observation.confidence)), source->date, source->id, note});
    }
  }
}

void print_references(const Context& context, const Catalog& catalog, const Chip& chip) {
  std::vector<std::string> ids;
  auto collect = [&](const Facts& facts) {
    for (const Fact& fact : facts.all()) {
      for (const Observation& observation : fact.observations) ids.push_back(observation.source);
    }
  };
  collect(chip.facts);
  collect(chip.dtypes);
  collect(chip.stack->facts);
  collect(chip.stack->dtypes);
  for (const PriceRow* row : catalog.prices().rows(chip.id)) ids.push_back(row->source);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  context.out << "\n" << context.style.bold(context.say(text("Sources", "来源"))) << "\n";
  for (const std::string& id : ids) {
    const catalog::Source* source = catalog.find_source(id);
    context.out << "  " << id << "  " << source->title << "\n      " << context.style.dim(source->ref) << "\n";
  }
}

void print_prices(const Context& context, const Catalog& catalog, const Chip& chip) {
  std::vector<const PriceRow*> rows = catalog.prices().rows(chip.id);
  if (rows.empty()) return;
  Table table({{context.say(text("yuan per card-hour", "每卡时（元）"))}, {""}, {""}, {""}, {""}});
  for (const PriceRow* row : rows) {
    std::string span = row->low.has_value() && *row->low != *row->high
                           ? fmt::format(" ({} - {})", base::format_yuan(*row->low), base::format_yuan(*row->high))
                           : "";
    table.add_row({(row->is_chosen ? "> " : "  ") + base::format_yuan(row->price) + span,
                   std::string(catalog::to_string(row->confidence)), row->date, row->source,
                   row->seller.empty() ? row->note : row->seller + (row->note.empty() ? "" : ": " + row->note)});
  }
  context.out << "\n" << table.render(context.style);
}

void print_chip(const Context& context, const Catalog& catalog, const Chip& chip) {
  context.out << context.style.bold(context.is_chinese() ? chip.name_zh : chip.name) << "  " << chip.id << "\n";
  context.out << context.say(text("stack {}", "软件栈 {}", chip.stack->name)) << " · " << context.say(text("also called", "又名"))
              << " " << fmt::format("{}", fmt::join(chip.aliases, ", ")) << "\n\n";
  auto title = [&](const char* en, const char* zh) { return context.is_chinese() ? std::string(zh) : std::string(en); };
  Table table({{title("fact", "事实")},
               {title("  value", "  值")},
               {title("confidence", "可信度")},
               {title("date", "日期")},
               {title("source", "来源")},
               {title("note", "备注")}});
  add_observations(context, catalog, chip.facts, table);
  add_observations(context, catalog, chip.stack->facts, table);
  add_observations(context, catalog, chip.dtypes, table);
  add_observations(context, catalog, chip.stack->dtypes, table);
  context.out << table.render(context.style);
  print_prices(context, catalog, chip);
  if (!chip.stack->versions.empty()) {
    Table versions(
        {{"PyTorch"}, {chip.stack->plugin_module().value_or("torch")}, {title("toolkit", "工具包")}, {"Python"}, {""}});
    for (const catalog::StackVersion& version : chip.stack->versions) {
      versions.add_row({version.torch, version.plugin, version.toolkit, version.python,
                        version.is_recommended ? title("recommended", "推荐") : ""});
    }
    context.out << "\n" << versions.render(context.style);
  }
  print_references(context, catalog, chip);
  context.out << context.style.dim(context.say(text("> marks the value StarBridge uses.", "> 为 StarBridge 采用的值。"))) << "\n";
}

Json facts_json(const Catalog& catalog, const Facts& facts) {
  Json json = Json::object();
  for (const Fact& fact : facts.all()) {
    Json list = Json::array();
    for (const Observation& observation : fact.observations) {
      Json row = {{"value", observation.value},
                  {"is_chosen", &observation == &fact.chosen()},
                  {"confidence", std::string(catalog::to_string(observation.confidence))},
                  {"source", observation.source},
                  {"date", catalog.find_source(observation.source)->date},
                  {"ref", catalog.find_source(observation.source)->ref}};
      if (!observation.via.empty()) row["via"] = observation.via;
      if (!observation.note.empty()) row["note"] = observation.note;
      list.push_back(std::move(row));
    }
    json[fact.name] = std::move(list);
  }
  return json;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json price_json(const PriceRow* row) {
  if (row == nullptr) return nullptr;
  return {{"yuan_per_card_hour", base::format_yuan(row->price)},
          {"micro_fen_per_card_hour", std::to_string(row->price.micro_fen)},
          {"confidence", std::string(catalog::to_string(row->confidence))},
          {"date", row->date},
          {"source", row->source}};
}

Json chip_json(const Catalog& catalog, const Chip& chip) {
  const catalog::Stack& stack = *chip.stack;
  return {{"id", chip.id},
          {"name", chip.name},
          {"name_zh", chip.name_zh},
          {"vendor", chip.vendor},
          {"aliases", chip.aliases},
          {"stack", stack.id},
          {"backend", stack.backend},
          {"torch_device", stack.torch_device()},
          {"plugin_module", or_null(stack.plugin_module())},
          {"dist_backend", stack.dist_backend()},
          {"keeps_torch_cuda", stack.keeps_torch_cuda()},
          {"visible_devices_env", stack.visible_devices_env()},
          {"slurm_gres", or_null(chip.slurm_gres())},
          {"kubernetes_resource", or_null(chip.kubernetes_resource())},
          {"memory_bytes", or_null(chip.memory_bytes())},
          {"memory_gbps", or_null(chip.memory_gbps())},
          {"peak_bf16_tflops", or_null(chip.peak_tflops("bf16"))},
          {"peak_fp16_tflops", or_null(chip.peak_tflops("fp16"))},
          {"peak_fp32_tflops", or_null(chip.peak_tflops("fp32"))},
          {"link_gbps", or_null(chip.link_gbps())},
          {"power_watts_max", or_null(chip.power_watts_max())},
          {"dtypes_unsupported", chip.dtypes_unsupported()},
          {"price", price_json(catalog.prices().chosen(chip.id))}};
}

Result<base::ExitCode> run_chips(Context& context, const ChipsOptions& options) {
  SB_TRY(Catalog catalog, Catalog::load_installed());
  if (!options.chip.empty()) {
    SB_TRY(const Chip* chip, catalog.find_chip(options.chip));
    if (!context.json) {
      print_chip(context, catalog, *chip);
      return base::ExitCode::kDone;
    }
    Json json = {{"schema", "starbridge.chip/1"}};
    json.update(chip_json(catalog, *chip));
    json["facts"] = facts_json(catalog, chip->facts);
    json["stack_facts"] = facts_json(catalog, chip->stack->facts);
    json["dtypes"] = facts_json(catalog, chip->dtypes);
    json["stack_dtypes"] = facts_json(catalog, chip->stack->dtypes);
    context.print_json(json);
    return base::ExitCode::kDone;
  }
  std::vector<const Chip*> chips;
  for (const Chip& chip : catalog.chips()) {
    if (options.vendor.empty() || chip.vendor == base::to_lower(options.vendor)) chips.push_back(&chip);
  }
  if (!context.json) {
    print_list(context, catalog, chips);
    return base::ExitCode::kDone;
  }
  Json json = {{"schema", "starbridge.chips/1"}, {"chips", Json::array()}};
  for (const Chip* chip : chips) json["chips"].push_back(chip_json(catalog, *chip));
  context.print_json(json);
  return base::ExitCode::kDone;
}

}  // namespace

void add_chips_command(Frame& frame) {
  auto options = std::make_shared<ChipsOptions>();
  CLI::App* command = frame.add(
      "chips", text("list accelerator models, or show all that is known about one", "列出加速卡型号，或查看某型号的全部资料"),
      {"starbridge chips", "starbridge chips ascend-910b3", "starbridge chips --vendor cambricon --json"});
  command->add_option("chip", options->chip, frame.say(text("a chip by id or alias", "芯片编号或别名")));
  command->add_option("--vendor", options->vendor, frame.say(text("only chips of this vendor", "仅列出该厂商的芯片")));
  frame.on_run(command, [&frame, options] { return run_chips(frame.context(), *options); });
}

}  // namespace starbridge::cli
