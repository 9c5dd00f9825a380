#include "cli/project_view.h"

#include <ostream>
#include <sstream>

#include "base/json.h"

namespace starbridge::cli {

using base::Table;
using base::text;
using port::Severity;

namespace {

std::string coloured(const Context& context, port::Verdict verdict) {
  const std::string& words = context.say(port::describe(verdict));
  switch (verdict) {
    case port::Verdict::kRuns:
    case port::Verdict::kRunsAfterPort:
      return context.style.green(words);
    case port::Verdict::kNeedsWork:
      return context.style.yellow(words);
    case port::Verdict::kCannot:
      return context.style.red(words);
  }
  return words;
}

base::Text title_of(Severity severity) {
  switch (severity) {
    case Severity::kWork:
      return text("to do by hand", "需人工处理");
    case Severity::kWarning:
      return text("runs, but take note", "可运行，请注意");
    case Severity::kInfo:
      return text("good to know", "供参考");
  }
  return {};
}

}  // namespace

void print_verdicts(const Context& context, const report::Report& report) {
  Table table({{context.say(text("chip", "芯片"))},
               {context.say(text("verdict", "结论"))},
               {context.say(text("score", "得分")), Table::Align::kRight},
               {context.say(text("edits", "修改")), Table::Align::kRight},
               {context.say(text("files", "文件")), Table::Align::kRight},
               {context.say(text("by hand", "人工")), Table::Align::kRight},
               {context.say(text("warnings", "警告")), Table::Align::kRight},
               {context.say(text("notes", "提示")), Table::Align::kRight}});
  for (const report::ChipSection& section : report.chips) {
    const port::ChipReport& chip = *section.chip;
    bool is_portable = chip.verdict != port::Verdict::kCannot;
    table.add_row({chip.target.chip->id, coloured(context, chip.verdict), is_portable ? std::to_string(section.score.score) : "-",
                   std::to_string(chip.edit_count), std::to_string(chip.edited_file_count),
                   std::to_string(chip.count(Severity::kWork)), std::to_string(chip.count(Severity::kWarning)),
                   std::to_string(chip.count(Severity::kInfo))});
  }
  context.out << table.render(context.style);
}

namespace {
void print_suggestion(const Context& context, const std::string& suggestion) {
  if (suggestion.empty()) return;
  std::istringstream lines(base::sanitize_utf8(suggestion));
  for (std::string line; std::getline(lines, line);) context.out << "      | " << line << "\n";
}
}  // namespace

void print_findings(const Context& context, const report::ChipSection& section, std::size_t limit) {
  const std::string& chip = section.chip->target.chip->id;
  for (Severity severity : {Severity::kWork, Severity::kWarning, Severity::kInfo}) {
    std::vector<const report::Item*> found;
    std::size_t known = 0;
    for (const report::Item* item : report::by_reach(section.items)) {
      if (item->finding.severity != severity) continue;
      known += item->is_known ? 1 : 0;
      if (!item->is_known) found.push_back(item);
    }
    if (found.empty()) continue;
    context.out << "\n" << context.style.bold(context.say(title_of(severity))) << " (" << found.size() << ", " << chip;
    if (known > 0) context.out << ", " << context.say(text("{} known", "已知 {}", known));
    context.out << ")\n";
    for (std::size_t index = 0; index < found.size(); ++index) {
      if (limit > 0 && index == limit) {
        context.out << "  "
                    << context.say(text("... {} more; --all shows them", "……还有 {} 条；--all 显示全部", found.size() - index))
                    << "\n";
        break;
      }
      const port::Finding& finding = found[index]->finding;
      base::Text reach = report::describe_reach(*found[index]);
      context.out << "  " << context.style.cyan(base::sanitize_utf8(finding.place.to_string())) << "  "
                  << context.say(finding.message) << " [" << finding.rule << (finding.source.empty() ? "" : ", " + finding.source)
                  << "]" << context.style.dim(reach.empty() ? "" : " " + context.say(reach)) << "\n";
      if (!finding.advice.empty()) context.out << "      " << context.say(finding.advice) << "\n";
      print_suggestion(context, finding.suggestion);
    }
  }
}

void print_precision(const Context& context, const report::ChipSection& section, std::size_t limit) {
  const report::PrecisionPlan& plan = section.precision;
  if (plan.items.empty()) return;
  context.out << "\n"
              << context.style.bold(context.say(text("precision plan", "精度计划"))) << " (" << plan.items.size() << ", "
              << section.chip->target.chip->id << ")\n";
  if (!plan.low_precision.empty()) {
    const report::PrecisionPlace& first = plan.low_precision.front();
    context.out << "  "
                << context.say(text("16 bit is asked for: {} ({} places)", "使用 16 位精度：{}（{} 处）",
                                    base::sanitize_utf8(first.place.to_string()), plan.low_precision.size()))
                << "\n";
  }
  for (std::size_t index = 0; index < plan.items.size(); ++index) {
    if (limit > 0 && index == limit) {
      context.out << "  "
                  << context.say(text("... {} more; --all shows them", "……还有 {} 条；--all 显示全部", plan.items.size() - index))
                  << "\n";
      break;
    }
    const report::PrecisionItem& item = plan.items[index];
    const report::PrecisionPlace& first = item.places.front();
    context.out << "  " << context.say(report::describe(item.risk)) << "  " << context.style.bold(context.say(item.title)) << "  "
                << context.style.cyan(base::sanitize_utf8(first.place.to_string())) << " " << first.name
                << context.say(text(", uses: {}", "，共 {} 处", item.count)) << " [" << item.id
                << (item.source.empty() ? "" : ", " + item.source) << "]\n      " << context.say(item.why) << "\n      "
                << context.say(report::describe_comparison(item)) << "\n";
  }
  for (const std::string& command : plan.commands) context.out << "  $ " << command << "\n";
}

void print_cuda(const Context& context, const port::CudaInventory& cuda) {
  if (cuda.kernels.empty() && cuda.launches.empty()) return;
  context.out << "\n"
              << context.style.bold(context.say(text("CUDA kernels", "CUDA 内核"))) << " ("
              << context.say(text("{} kernels, {} launches, {} lines of device code", "{} 个内核，{} 处启动，{} 行设备代码",
                                  cuda.kernels.size(), cuda.launches.size(), cuda.device_line_count))
              << ")\n";
  constexpr std::size_t kShownMax = 30;
  for (std::size_t index = 0; index < cuda.kernels.size() && index < kShownMax; ++index) {
    const port::CudaKernel& kernel = cuda.kernels[index];
    std::string features;
    for (const std::string& feature : kernel.features) features += (features.empty() ? "" : ", ") + feature;
    context.out << "  " << context.style.cyan(kernel.file + ":" + std::to_string(kernel.line)) << "  " << kernel.name << "  "
                << context.style.dim(features) << "\n";
  }
}

namespace {

base::Json places_json(const std::vector<report::PrecisionPlace>& places) {
  base::Json json = base::Json::array();
  for (const report::PrecisionPlace& each : places) {
    json.push_back({{"name", each.name}, {"file", each.place.file}, {"line", each.place.line}, {"column", each.place.column}});
  }
  return json;
}

base::Json precision_to_json(const Context& context, const report::PrecisionPlan& plan) {
  base::Json json = {
      {"items", base::Json::array()}, {"low_precision", places_json(plan.low_precision)}, {"commands", plan.commands}};
  for (const report::PrecisionItem& item : plan.items) {
    base::Json entry = {{"id", item.id},
                        {"risk", catalog::to_string(item.risk)},
                        {"title", context.say(item.title)},
                        {"why", context.say(item.why)},
                        {"source", item.source},
                        {"compare", catalog::to_string(item.comparison)},
                        {"tolerances", base::Json::array()},
                        {"count", item.count},
                        {"places", places_json(item.places)}};
    for (const catalog::DtypeTolerance& tolerance : item.tolerances) {
      entry["tolerances"].push_back(
          {{"dtype", tolerance.dtype}, {"relative", tolerance.relative}, {"absolute", tolerance.absolute}});
    }
    if (item.comparison == catalog::Comparison::kVerify) entry["loss_tolerance"] = item.loss_tolerance;
    json["items"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

base::Json chip_to_json(const Context& context, const report::ChipSection& section) {
  const port::ChipReport& chip = *section.chip;
  const report::Score& score = section.score;
  base::Json json = {
      {"chip", chip.target.chip->id},
      {"verdict", port::to_string(chip.verdict)},
      {"score", score.score},
      {"points", {{"automatic", score.automatic_points}, {"assisted", score.assisted_points}, {"manual", score.manual_points}}},
      {"edit_count", chip.edit_count},
      {"edited_file_count", chip.edited_file_count},
      {"suppressed_count", chip.suppressed_count},
      {"findings", base::Json::array()}};
  for (const report::Item& item : section.items) {
    base::Json finding = item.finding.to_json(context.language);
    finding["effort"] = port::to_string(item.effort);
    finding["confidence"] = port::to_string(item.confidence);
    finding["fingerprint"] = item.fingerprint;
    finding["known"] = item.is_known;
    finding["reach"] = port::to_string(item.reach);
    if (!item.reached_from.empty()) finding["reached_from"] = item.reached_from;
    finding["hot"] = item.is_hot;
    json["findings"].push_back(std::move(finding));
  }
  json["precision"] = precision_to_json(context, section.precision);
  return json;
}

base::Json project_to_json(const Context& context, const report::Report& report) {
  const port::ProjectReport& project = *report.project;
  base::Json json = {{"schema", "starbridge.scan/1"},    {"path", project.root},
                     {"file_count", project.file_count}, {"analyzed_file_count", project.analyzed_file_count},
                     {"line_count", project.line_count}, {"files_by_kind", project.files_by_kind},
                     {"chips", base::Json::array()}};
  for (const report::ChipSection& section : report.chips) json["chips"].push_back(chip_to_json(context, section));
  json["cuda"] = project.cuda.to_json();
  return json;
}

}  // namespace starbridge::cli
