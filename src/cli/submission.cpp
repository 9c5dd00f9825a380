#include "cli/submission.h"

#include <ostream>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "port/project.h"

namespace starbridge::cli {

using base::Table;
using base::text;

namespace {

constexpr std::size_t kJobFileBytesMax = 1UL << 20;

base::Result<sched::Verdicts> scan_for(const std::string& project, const catalog::Catalog& catalog, const pool::Pool& pool) {
  std::set<std::string> chips;
  for (const pool::Node& node : pool.nodes) {
    for (const pool::Card& card : node.cards) chips.insert(card.chip);
  }
  std::vector<port::Target> targets;
  for (const std::string& id : chips) {
    SB_TRY(const catalog::Chip* chip, catalog.find_chip(id));
    targets.push_back(port::make_target(*chip));
  }
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  SB_TRY(port::ProjectReport report, port::scan_project(project, port::make_context(tables, targets)));
  sched::Verdicts verdicts;
  for (const port::ChipReport& chip : report.chips) {
    verdicts[chip.target.chip->id] = {chip.verdict != port::Verdict::kCannot, chip.verdict == port::Verdict::kNeedsWork,
                                      port::describe(chip.verdict)};
  }
  return verdicts;
}

std::string times(const std::optional<std::int64_t>& per_mille) {
  return per_mille ? fmt::format("{:.2f}x", static_cast<double>(*per_mille) / 1000) : "?";
}

}  // namespace

base::Result<Submission> read_submission(const Context& context, const std::string& path, const catalog::Catalog& catalog,
                                         const pool::Pool& pool) {
  SB_TRY(std::string content, base::read_file(path, kJobFileBytesMax));
  Submission submission;
  SB_TRY(submission.job, sched::parse_job(content, path, catalog));
  if (!submission.job.project.empty()) {
    context.note(text("scanning {}", "扫描 {}", submission.job.project));
    base::Result<sched::Verdicts> verdicts = scan_for(submission.job.project, catalog, pool);
    if (!verdicts.ok())
      return std::move(verdicts).error().while_doing(text("scanning the project of {}", "扫描 {} 的项目", path));
    submission.verdicts = std::move(verdicts).value();
  }
  return submission;
}

base::Json to_json(const sched::Verdicts& verdicts) {
  base::Json json = base::Json::object();
  for (const auto& [chip, verdict] : verdicts) {
    json[chip] = {{"is_runnable", verdict.is_runnable},
                  {"has_open_findings", verdict.has_open_findings},
                  {"words_en", verdict.words.en},
                  {"words_zh", verdict.words.zh}};
  }
  return json;
}

void print_decision(const Context& context, const sched::JobSpec& job, const sched::Decision& decision, const pool::Pool& pool) {
  if (pool.is_emulated)
    context.out << context.style.yellow(context.say(text("The cards of this pool are emulated.", "此算力池中的卡为仿真卡。")))
                << "\n\n";
  Table table({{""},
               {context.say(text("chip", "芯片"))},
               {context.say(text("free", "空闲")), Table::Align::kRight},
               {context.say(text("speed*", "速度*")), Table::Align::kRight},
               {context.say(text("time*", "时长*")), Table::Align::kRight},
               {context.say(text("yuan/card-h", "元/卡时")), Table::Align::kRight},
               {context.say(text("cost*", "费用*")), Table::Align::kRight},
               {context.say(text("why", "原因"))}});
  auto add = [&](const sched::Candidate& row, const std::string& mark, const std::string& free, const std::string& why) {
    table.add_row({mark, row.chip, free, times(row.speed_per_mille),
                   row.estimated_ms ? base::format_duration(*row.estimated_ms) : "?",
                   row.price ? base::format_yuan(*row.price) : "?",
                   row.estimated_cost ? base::format_yuan(*row.estimated_cost) : "?", why});
  };
  for (const sched::Candidate& candidate : decision.candidates) {
    add(candidate, candidate.is_chosen ? context.style.green("*") : "",
        fmt::format("{}/{}", candidate.free_cards, candidate.pool_cards), context.say(candidate.reason));
  }
  if (decision.reference)
    add(*decision.reference, "=", "", context.say(text("the same job on A100, for comparison", "同一作业在 A100 上，供比较")));
  context.out << table.render(context.style) << "\n";
  context.out << context.say(
                     decision.is_estimate_assumed
                         ? text("* modelled from catalogue figures; one hour on A100 is assumed (estimate_on_a100 says better)",
                                "* 按目录数据估计；假定在 A100 上需一小时（可用 estimate_on_a100 指明）")
                         : text("* modelled from catalogue figures and the job's estimate", "* 按目录数据与作业给出的估计推算"))
              << "\n\n";
  std::string cards;
  for (const std::string& card : decision.cards) cards += (cards.empty() ? "" : " ") + card;
  if (decision.status == sched::Decision::Status::kPlaced) {
    context.out << context.say(text("{} goes to {} x {}: {}", "{} 放置于 {} x {}：{}", job.name, decision.cards.size(),
                                    decision.chip, context.say(decision.reason)))
                << "\n  " << cards << "\n";
  } else {
    context.out << job.name << ": " << context.say(decision.reason) << "\n";
  }
}

}  // namespace starbridge::cli
