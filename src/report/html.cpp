#include "report/html.h"

#include "base/json.h"

namespace starbridge::report {
namespace {

using base::Json;

Json both(const base::Text& words) { return {{"en", words.en}, {"zh", words.zh.empty() ? words.en : words.zh}}; }

Json data_of(const Report& report, base::Language language) {
  const port::ProjectReport& project = *report.project;
  Json data = {{"language", language == base::Language::kChinese ? "zh" : "en"},
               {"root", project.root},
               {"files", project.file_count},
               {"analyzed", project.analyzed_file_count},
               {"lines", project.line_count},
               {"kernels", project.cuda.kernels.size()},
               {"rules", Json::object()},
               {"chips", Json::array()}};
  for (const port::Rule& rule : port::rules()) {
    data["rules"][std::string(rule.id)] = {
        {"en", rule.title_en}, {"zh", rule.title_zh}, {"effort", port::to_string(rule.effort)}};
  }
  for (const ChipSection& section : report.chips) {
    if (section.chip->rules == nullptr) continue;
    for (const auto& rule : section.chip->rules->rules()) {
      data["rules"][rule->id] = {{"en", rule->title.en}, {"zh", rule->title.zh}, {"effort", port::to_string(rule->effort)}};
    }
  }
  for (const ChipSection& section : report.chips) {
    const Score& score = section.score;
    Json chip = {{"id", section.chip->target.chip->id},
                 {"name", section.chip->target.chip->name},
                 {"verdict", both(port::describe(section.chip->verdict))},
                 {"verdict_id", port::to_string(section.chip->verdict)},
                 {"score", score.score},
                 {"points", {score.automatic_points, score.assisted_points, score.manual_points}},
                 {"counts", {score.automatic_count, score.assisted_count, score.manual_count}},
                 {"findings", Json::array()},
                 {"files", Json::array()}};
    for (const Item& item : section.items) {
      const port::Finding& finding = item.finding;
      chip["findings"].push_back({{"file", finding.place.file},
                                  {"line", finding.place.line},
                                  {"rule", finding.rule},
                                  {"severity", port::to_string(finding.severity)},
                                  {"message", both(finding.message)},
                                  {"advice", both(finding.advice)},
                                  {"source", finding.source},
                                  {"suggestion", base::sanitize_utf8(finding.suggestion)},
                                  {"text", item.line_text.substr(0, 400)},
                                  {"reach", both(describe_reach(item))},
                                  {"reach_rank", reach_rank(item)},
                                  {"reached_from", item.reached_from},
                                  {"known", item.is_known}});
    }
    for (const ChangedFile& file : section.files) {
      Json changes = Json::array();
      for (const LineChange& change : file.lines) changes.push_back({change.line, change.before, change.after});
      chip["files"].push_back({{"path", file.path}, {"edits", file.changes.size()}, {"changes", std::move(changes)}});
    }
    Json plan = Json::array();
    for (const PrecisionItem& item : section.precision.items) {
      const PrecisionPlace& first = item.places.front();
      plan.push_back({{"risk", both(describe(item.risk))},
                      {"risk_id", catalog::to_string(item.risk)},
                      {"title", both(item.title)},
                      {"why", both(item.why)},
                      {"compare", both(describe_comparison(item))},
                      {"count", item.count},
                      {"first", first.place.to_string()},
                      {"name", first.name},
                      {"source", item.source}});
    }
    chip["precision"] = {{"items", std::move(plan)}, {"commands", section.precision.commands}};
    data["chips"].push_back(std::move(chip));
  }
  return data;
}

}  // namespace

std::string to_html(const Report& report, base::Language language) {
  std::string data = base::to_string(data_of(report, language), -1);
  // Inside a script element only "</" and "<!" could end or change it.
  std::string safe;
  for (char c : data) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  std::string page(page_text());
  constexpr std::string_view kMark = "@@REPORT@@";
  page.replace(page.find(kMark), kMark.size(), safe);
  return page;
}

}  // namespace starbridge::report
