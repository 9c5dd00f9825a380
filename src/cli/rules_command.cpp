// starbridge rules list|test|explain: the declared rules of the port, those of the program and one's own.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <sstream>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/frame.h"
#include "port/declared/rule_cases.h"

namespace starbridge::cli {

using base::ExitCode;
using base::Json;
using base::text;
using port::DeclaredRule;

namespace {

struct RulesOptions {
  std::string files;
  std::string project;
  std::string id;
};

using Rules = std::shared_ptr<const port::RuleSet>;

// Those of the program, with those of --rules and of a project.
base::Result<Rules> rules_of(const RulesOptions& options, const port::Tables& tables) {
  Rules rules = tables.rules;
  if (!options.files.empty()) {
    SB_TRY(rules, port::RuleSet::load(options.files, rules.get()));
  }
  if (!options.project.empty()) {
    SB_TRY(rules, port::RuleSet::of_project(options.project, rules));
  }
  return rules;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string_view kind_of(const DeclaredRule& rule) {
  static constexpr std::array<std::string_view, 7> kKinds = {"call",        "name",        "method", "import",
                                                             "environment", "device_text", "text"};
  return kKinds[static_cast<std::size_t>(rule.match.kind)];
}

Json to_json(const DeclaredRule& rule, base::Language language) {
  Json json = {{"id", rule.id},
               {"title", rule.title.in(language)},
               {"severity", port::to_string(rule.severity)},
               {"effort", port::to_string(rule.effort)},
               {"confidence", port::to_string(rule.confidence)},
               {"match", kind_of(rule)},
               {"names", rule.match.names},
               {"families", rule.scope.families},
               {"cases", rule.cases.size()},
               {"file", rule.place.file},
               {"line", rule.place.line}};
  if (!rule.source.empty()) json["source"] = rule.source;
  return json;
}

base::Result<ExitCode> run_list(const Context& context, const RulesOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  SB_TRY(Rules rules, rules_of(options, tables));
  if (context.json) {
    Json list = Json::array();
    for (const auto& rule : rules->rules()) list.push_back(to_json(*rule, context.language));
    context.print_json({{"schema", "starbridge.rule_list/1"}, {"rules", std::move(list)}});
    return ExitCode::kDone;
  }
  base::Table table({{context.say(text("rule", "规则"))},
                     {context.say(text("effort", "工作量"))},
                     {context.say(text("severity", "严重程度"))},
                     {context.say(text("looks for", "查找"))},
                     {context.say(text("cases", "用例")), base::Table::Align::kRight},
                     {context.say(text("what", "内容"))}});
  for (const auto& rule : rules->rules()) {
    table.add_row({rule->id, std::string(port::to_string(rule->effort)), std::string(port::to_string(rule->severity)),
                   std::string(kind_of(*rule)), std::to_string(rule->cases.size()), context.say(rule->title)});
  }
  context.out << table.render(context.style) << "\n"
              << context.say(text("next: starbridge rules explain RULE", "下一步：starbridge rules explain 规则")) << "\n";
  return ExitCode::kDone;
}

void print_block(const Context& context, const std::string& block) {
  std::istringstream lines(base::sanitize_utf8(block));
  for (std::string line; std::getline(lines, line);) context.out << "    | " << line << "\n";
}

void print_case(const Context& context, const port::RuleCase& example) {
  std::string name = example.name.empty() ? example.place.to_string() : example.name;
  context.out << "\n  " << context.style.cyan(base::sanitize_utf8(name)) << "\n";
  print_block(context, example.source);
  if (example.is_no_match) context.out << "  " << context.say(text("is left alone", "保持不变")) << "\n";
  if (example.expect) {
    context.out << "  " << context.say(text("becomes", "改为")) << "\n";
    print_block(context, *example.expect);
  }
  if (example.suggests) {
    context.out << "  " << context.say(text("is told", "给出建议")) << "\n";
    print_block(context, *example.suggests);
  }
}

base::Result<ExitCode> run_explain(const Context& context, const RulesOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  SB_TRY(Rules rules, rules_of(options, tables));
  const DeclaredRule* rule = rules->find_declared(options.id);
  const port::Rule* known = rules->find(options.id);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const auto& each : rules->rules()) names.push_back(each->id);
    for (const port::Rule& each : port::rules()) names.emplace_back(each.id);
    std::string near = base::nearest_word(options.id, names);
    return base::Error("port.unknown_rule", text("no rule is called {}", "没有名为 {} 的规则", options.id))
        .next(near.empty() ? text("see starbridge rules list", "请看 starbridge rules list")
                           : text("did you mean {}?", "是否想写 {}？", near));
  }
  if (context.json) {
    Json json = rule != nullptr ? to_json(*rule, context.language)
                                : Json{{"id", known->id},
                                       {"title", context.is_chinese() ? known->title_zh : known->title_en},
                                       {"effort", port::to_string(known->effort)},
                                       {"confidence", port::to_string(known->confidence)}};
    json["schema"] = "starbridge.rule/1";
    context.print_json(json);
    return ExitCode::kDone;
  }
  context.out << context.style.bold(std::string(known->id)) << ": " << (context.is_chinese() ? known->title_zh : known->title_en)
              << "\n"
              << context.say(text("effort {}, confidence {}", "工作量 {}，可信度 {}", port::to_string(known->effort),
                                  port::to_string(known->confidence)))
              << "\n";
  if (rule == nullptr) {
    context.out << context.say(text("part of the program, not of a rule file", "程序内置，不在规则文件中")) << "\n";
    return ExitCode::kDone;
  }
  context.out << context.say(text("looks for {}: {}", "查找 {}：{}", kind_of(*rule), joined(rule->match.names))) << "\n"
              << context.say(text("holds for {}", "适用于 {}", joined(rule->scope.families)));
  if (!rule->scope.chips.empty()) context.out << " (" << joined(rule->scope.chips) << ")";
  context.out << "\n" << base::sanitize_utf8(rule->place.to_string());
  if (!rule->source.empty()) context.out << ", " << rule->source;
  context.out << "\n";
  if (!rule->advice.empty()) context.out << context.say(rule->advice) << "\n";
  for (const port::RuleCase& example : rule->cases) print_case(context, example);
  return ExitCode::kDone;
}

base::Result<ExitCode> run_test(const Context& context, const RulesOptions& options) {
  SB_TRY(catalog::Catalog catalog, catalog::Catalog::load_installed());
  SB_TRY(port::Tables tables, port::Tables::load(catalog));
  SB_TRY(Rules rules, rules_of(options, tables));
  Json list = Json::array();
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t rule_count = 0;
  bool tells = !context.json;
  for (const auto& rule : rules->rules()) {
    // One's own rules alone, when there are some: those of the program have their own tests.
    bool is_own = tables.rules->find_declared(rule->id) != rule.get();
    if ((!options.files.empty() || !options.project.empty()) && !is_own) continue;
    if (!options.id.empty() && rule->id != options.id) continue;
    ++rule_count;
    base::Text missing = port::missing_cases(*rule);
    if (!missing.empty()) {
      ++failed;
      list.push_back(
          {{"rule", rule->id}, {"place", rule->place.to_string()}, {"passes", false}, {"why", missing.in(context.language)}});
      if (tells) context.out << base::sanitize_utf8(rule->place.to_string()) << ": " << context.say(missing) << "\n";
    }
    SB_TRY(std::vector<port::CaseOutcome> outcomes, port::run_cases(*rule, tables, rules));
    for (const port::CaseOutcome& outcome : outcomes) {
      ++(outcome.passes ? passed : failed);
      list.push_back({{"rule", rule->id}, {"place", outcome.example->place.to_string()}, {"passes", outcome.passes}});
      if (outcome.passes) continue;
      list.back()["why"] = outcome.why.in(context.language);
      if (!tells) continue;
      context.out << base::sanitize_utf8(outcome.example->place.to_string()) << ": " << rule->id << ": "
                  << context.say(outcome.why) << "\n";
      if (!outcome.expected.empty()) {
        context.out << "  " << context.say(text("expected", "期待")) << "\n";
        print_block(context, outcome.expected);
      }
      if (!outcome.expected.empty() || !outcome.actual.empty()) {
        context.out << "  " << context.say(text("found", "实际")) << "\n";
        print_block(context, outcome.actual);
      }
    }
  }
  if (context.json) {
    context.print_json(
        {{"schema", "starbridge.rule_test/1"}, {"passed", passed}, {"failed", failed}, {"cases", std::move(list)}});
  } else {
    context.out << context.say(text("{} rules: {} cases pass, {} fail", "{} 条规则：{} 个用例通过，{} 个失败", rule_count, passed,
                                    failed))
                << "\n";
  }
  return failed == 0 ? ExitCode::kDone : ExitCode::kAnswerIsNo;
}

}  // namespace

void add_rules_command(Frame& frame) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* rules =
      frame.add("rules", text("Show and test the rules by which projects are ported.", "查看并测试移植规则。"),
                {"starbridge rules list", "starbridge rules explain apex-adam", "starbridge rules test --rules ./rules"});
  rules->require_subcommand(1);
  auto add_sources = [&](CLI::App* command) {
    command->add_option("--rules", options->files, frame.say(text("more rules: a file or folder", "更多规则：文件或目录")));
    command->add_option(
        "--project", options->project,
        frame.say(text("a project whose .starbridge-rules.yaml is read too", "同时读取该项目的 .starbridge-rules.yaml")));
  };
  CLI::App* list = frame.add("list", text("Every declared rule in a line.", "逐行列出规则。"),
                             {"starbridge rules list", "starbridge rules list --rules ./rules --json"}, rules);
  add_sources(list);
  frame.on_run(list, [&frame, options] { return run_list(frame.context(), *options); });
  CLI::App* test =
      frame.add("test", text("Run the cases beside the rules.", "运行规则旁的用例。"),
                {"starbridge rules test", "starbridge rules test --rules ./rules", "starbridge rules test apex-adam"}, rules);
  test->add_option("RULE", options->id, frame.say(text("only this rule", "只测试该规则")));
  add_sources(test);
  frame.on_run(test, [&frame, options] { return run_test(frame.context(), *options); });
  CLI::App* explain =
      frame.add("explain", text("What a rule looks for and does, with its cases.", "说明规则查找什么、做什么，并附用例。"),
                {"starbridge rules explain load-device-tags"}, rules);
  explain->add_option("RULE", options->id, frame.say(text("name of the rule", "规则名")))->required();
  add_sources(explain);
  frame.on_run(explain, [&frame, options] { return run_explain(frame.context(), *options); });
}

}  // namespace starbridge::cli
