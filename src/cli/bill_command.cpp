// starbridge bill: what the leases cost, and the same work on A100 beside it.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "base/money.h"
#include "cli/frame.h"
#include "cli/server_client.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::Table;
using base::text;

namespace {

std::string yuan_of(const Json& row, const char* field) {
  return row.contains(field) ? base::format_yuan(base::Fen{row[field].get<std::int64_t>()}) : "?";
}

base::Result<ExitCode> run_bill(const Context& context, const std::string& id) {
  SB_TRY(ServerClient client, ServerClient::connect(context.language));
  SB_TRY(Json bill, client.get(id.empty() ? "/api/v1/bill" : "/api/v1/bill?job=" + id));
  if (context.json) {
    context.print_json(bill);
    return ExitCode::kDone;
  }
  Table table({{"id"},
               {context.say(text("name", "名称"))},
               {context.say(text("chip", "芯片"))},
               {context.say(text("cards", "卡数")), Table::Align::kRight},
               {context.say(text("seconds", "秒")), Table::Align::kRight},
               {context.say(text("yuan/card-h", "元/卡时")), Table::Align::kRight},
               {context.say(text("discount", "折扣")), Table::Align::kRight},
               {context.say(text("yuan", "元")), Table::Align::kRight},
               {context.say(text("A100 yuan/card-h", "A100 元/卡时")), Table::Align::kRight},
               {context.say(text("on A100*", "A100 上*")), Table::Align::kRight}});
  for (const Json& line : bill["lines"]) {
    std::int64_t duration_ms = line.value("duration_ms", std::int64_t{0});
    table.add_row({line.value("job_id", ""), line.value("name", ""),
                   line.value("chip", "") + (line.contains("close_ms") ? "" : context.say(text(" (running)", "（运行中）"))),
                   std::to_string(line["cards"].size()), fmt::format("{}.{:03}", duration_ms / 1000, duration_ms % 1000),
                   base::format_yuan(base::PricePerHour{line.value("price_micro_fen_per_card_hour", std::int64_t{0})}),
                   fmt::format("{}.{}%", line.value("discount_per_mille", std::int64_t{0}) / 10,
                               line.value("discount_per_mille", std::int64_t{0}) % 10),
                   yuan_of(line, "amount_fen"),
                   line.contains("a100_price_micro_fen_per_card_hour")
                       ? base::format_yuan(base::PricePerHour{line["a100_price_micro_fen_per_card_hour"].get<std::int64_t>()})
                       : "?",
                   yuan_of(line, "a100_modelled_amount_fen")});
  }
  table.add_row({context.say(text("total", "合计")), "", "", "", "", "", "", yuan_of(bill, "total_fen"), "",
                 yuan_of(bill, "a100_modelled_total_fen")});
  context.out << table.render(context.style) << "\n"
              << context.say(
                     text("* the same work on as many A100: time modelled from catalogue figures, at the price book's A100 price",
                          "* 同样的工作在同样数量的 A100 上：时长按目录数据估计，价格取自价目表"))
              << "\n";
  return ExitCode::kDone;
}

}  // namespace

void add_bill_command(Frame& frame) {
  auto id = std::make_shared<std::string>();
  CLI::App* command = frame.add("bill",
                                text("Show what the jobs cost, to the millisecond, with the same work on A100 beside it.",
                                     "按毫秒计费的账单，并列出同样工作在 A100 上的费用。"),
                                {"starbridge bill --job job-000001"});
  command->add_option("--job", *id, frame.say(text("one job only", "只看一个作业")));
  frame.on_run(command, [&frame, id] { return run_bill(frame.context(), *id); });
}

}  // namespace starbridge::cli
