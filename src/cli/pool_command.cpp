// starbridge pool: the cards there are; real ones when found, else the emulated pool, clearly named so.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "cli/frame.h"
#include "cli/server_client.h"
#include "pool/discovery.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::Table;
using base::text;

namespace {

void print_pool(const Context& context, const Json& pool, bool has_server) {
  context.out << context.style.bold(pool.value("name", "")) << "  ";
  if (pool.value("is_emulated", false)) {
    context.out << context.style.yellow(context.say(text("emulated cards: no real card was found or a pool file was given",
                                                         "仿真卡：未发现真实卡，或指定了算力池文件")))
                << "\n\n";
  } else {
    context.out << context.say(text("real cards", "真实卡")) << "\n\n";
  }
  Table table({{context.say(text("node", "节点"))},
               {context.say(text("chip", "芯片"))},
               {context.say(text("cards", "卡数")), Table::Align::kRight},
               {context.say(text("free", "空闲")), Table::Align::kRight},
               {context.say(text("memory", "显存")), Table::Align::kRight},
               {""}});
  for (const Json& node : pool["nodes"]) {
    struct Count {
      int total = 0;
      int free = 0;
      std::int64_t memory = 0;
    };
    std::map<std::string, Count> chips;
    for (const Json& card : node["cards"]) {
      Count& count = chips[card.value("chip", "")];
      ++count.total;
      count.free += !card.value("is_leased", false) && card.value("is_healthy", true) ? 1 : 0;
      count.memory = card.value("memory_bytes", std::int64_t{0});
    }
    for (const auto& [chip, count] : chips) {
      double busy = count.total == 0 ? 0 : static_cast<double>(count.total - count.free) / count.total;
      table.add_row({node.value("id", ""), chip, std::to_string(count.total), std::to_string(count.free),
                     fmt::format("{} GiB", count.memory >> 30), base::bar(busy, 8)});
    }
  }
  context.out << table.render(context.style);
  if (!has_server)
    context.out << "\n" << context.say(text("no server runs; next: starbridge up", "服务未启动；下一步：starbridge up")) << "\n";
}

base::Result<ExitCode> run_pool(const Context& context, const std::string& pool_file) {
  base::Result<ServerClient> client = ServerClient::connect(context.language);
  Json json;
  if (client.ok() && pool_file.empty()) {
    SB_TRY(json, client->get("/api/v1/pool"));
  } else {
    std::vector<std::string> warnings;
    SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
    SB_TRY(pool::Pool pool, pool_file.empty() ? pool::pool_of_this_machine(catalog, &warnings) : pool::read_pool_file(pool_file, catalog));
    json = pool::to_json(pool);
    for (const std::string& warning : warnings) context.note(base::Text{warning, warning});
  }
  if (context.json) {
    context.print_json(json);
  } else {
    print_pool(context, json, client.ok());
  }
  return ExitCode::kDone;
}

}  // namespace

void add_pool_command(Frame& frame) {
  auto pool_file = std::make_shared<std::string>();
  CLI::App* command = frame.add(
      "pool", text("Show the cards: real ones when found, else the emulated pool.", "显示算力池：优先真实卡，否则为仿真池。"),
      {"starbridge pool"});
  command->add_option("--pool", *pool_file, frame.say(text("read a pool file instead", "改读算力池文件")));
  frame.on_run(command, [&frame, pool_file] { return run_pool(frame.context(), *pool_file); });
}

}  // namespace starbridge::cli
