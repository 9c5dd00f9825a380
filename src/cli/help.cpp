#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

namespace starbridge::cli {
namespace {

constexpr std::array<std::string_view, 15> kJourney = {"scan",   "port",   "verify", "up",     "down",
                                                       "pool",   "submit", "jobs",   "job",    "logs",
                                                       "cancel", "bill",   "chips",  "compat", "device-profile"};

class ExamplesFirst final : public CLI::Formatter {
 public:
  explicit ExamplesFirst(base::Language language) : language_(language) {
    if (language != base::Language::kChinese) return;
    label("Usage", "用法");
    label("OPTIONS", "选项");
    label("SUBCOMMAND", "命令");
    label("SUBCOMMANDS", "命令");
    label("POSITIONALS", "参数");
    label("REQUIRED", "必填");
    label("TEXT", "文本");
    label("INT", "整数");
    label("Needs", "需要");
    label("Excludes", "不可同时用");
    label("Env", "环境变量");
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string examples = app->get_footer();
    std::string page;
    if (!examples.empty()) page = (language_ == base::Language::kChinese ? "示例：\n" : "Example:\n") + examples + "\n";
    page += make_description(app);
    page += make_usage(app, name);
    page += make_positionals(app);
    page += make_groups(app, mode);
    page += make_subcommands(app, mode);
    return page;
  }

 private:
  base::Language language_;
};

std::size_t journey_position(const std::string& name) {
  return static_cast<std::size_t>(std::find(kJourney.begin(), kJourney.end(), name) - kJourney.begin());
}

}  // namespace

void set_up_help(CLI::App& app, base::Language language) {
  app.formatter(std::make_shared<ExamplesFirst>(language));
  app.get_formatter()->column_width(32);
  app.set_help_flag("--help,-h", language == base::Language::kChinese ? "显示帮助" : "show this help");
}

void order_commands(CLI::App& app) {
  std::vector<CLI::App*> commands = app.get_subcommands([](CLI::App*) { return true; });
  std::stable_sort(commands.begin(), commands.end(), [](const CLI::App* left, const CLI::App* right) {
    return std::pair(journey_position(left->get_name()), left->get_name()) <
           std::pair(journey_position(right->get_name()), right->get_name());
  });
  std::vector<CLI::App_p> owned;
  for (CLI::App* command : commands) {
    CLI::App_p kept;
    // remove_subcommand drops the last reference kept by `app`; the pointer is held here meanwhile.
    kept = app.get_subcommand_ptr(command->get_name());
    owned.push_back(kept);
    app.remove_subcommand(command);
  }
  for (const CLI::App_p& command : owned) app.add_subcommand(command);
}

}  // namespace starbridge::cli
