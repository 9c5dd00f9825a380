#include "cli/frame.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "base/json.h"
#include "cli/help.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::ExitCode;
using base::Language;
using base::text;

// The language must be known before help texts are made, so it is looked up ahead of the real parse.
Language choose_language(const std::vector<std::string>& arguments) {
  for (std::size_t index = 0; index < arguments.size() && arguments[index] != "--"; ++index) {
    if (arguments[index] == "--lang" && index + 1 < arguments.size()) return base::language_from_name(arguments[index + 1]);
    if (arguments[index].rfind("--lang=", 0) == 0) return base::language_from_name(arguments[index].substr(7));
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return base::language_from_name(value);
  }
  return Language::kEnglish;
}

bool has_argument(const std::vector<std::string>& arguments, std::string_view wanted) {
  auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, wanted) != end;
}

bool wants_colour(const std::vector<std::string>& arguments, bool is_own_stream, int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  if (!is_own_stream || has_argument(arguments, "--no-color") || (no_color != nullptr && *no_color != '\0')) return false;
  const char* terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

int show_error(const Context& context, const Error& error) {
  if (context.json) context.print_json(error.to_json(context.language));
  context.err << context.error_style.red(context.is_chinese() ? "错误：" : "error: ") << error.render(context.language) << "\n";
  return static_cast<int>(error.exit_code());
}

// The first word that is no option, when it is not the name of a command.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string& word = arguments[index];
    if (word == "--lang") {
      ++index;
    } else if (word.empty() || word[0] != '-') {
      for (const CLI::App* command : app.get_subcommands({})) {
        if (command->check_name(word)) return "";
      }
      return word;
    }
  }
  return "";
}

Error unknown_command_error(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  Error error("base.usage", text("there is no command \"{}\"", "没有命令“{}”", base::sanitize_utf8(word)));
  std::string near = base::nearest_word(word, names);
  if (near.empty()) return std::move(error).next(text("see starbridge --help", "请看 starbridge --help"));
  return std::move(error).next(text("did you mean \"starbridge {}\"?", "是否想用“starbridge {}”？", near));
}

Error usage_error(const CLI::App& app, const CLI::ParseError& failure) {
  const CLI::App* deepest = &app;
  std::string command = "starbridge";
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().back();
    command += " " + deepest->get_name();
  }
  return Error("base.usage", text("{}", "命令行有误：{}", base::sanitize_utf8(failure.what())))
      .next(text("see {} --help", "请看 {} --help", command));
}

}  // namespace

void Context::print_json(const base::Json& json_value) const { out << base::to_string(json_value) << "\n"; }

void Context::note(const base::Text& text_value) const {
  if (!quiet) err << text_value.in(language) << "\n";
}

CLI::App* Frame::add(const std::string& name, const base::Text& description, std::vector<std::string> examples,
                     CLI::App* parent) {
  CLI::App* command = (parent != nullptr ? parent : &app_)->add_subcommand(name, say(description));
  std::string footer;
  for (const std::string& example : examples) footer += "  " + example + "\n";
  command->footer(footer);
  command->fallthrough();
  return command;
}

CLI::App* Frame::group(const std::string& name) { return app_.get_subcommand(name); }

void Frame::on_run(CLI::App* command, Run run) {
  command->callback([this, run = std::move(run)] { chosen_ = run; });
}

std::vector<std::string> split_commas(const std::string& list) {
  std::vector<std::string> parts;
  std::string_view rest = list;
  while (!rest.empty()) {
    std::size_t comma = rest.find(',');
    std::string_view part = base::trim(rest.substr(0, comma));
    if (!part.empty()) parts.emplace_back(part);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return parts;
}

int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Context context{out, err, choose_language(arguments), has_argument(arguments, "--json"), false, {}, {}};
  context.style.enabled = wants_colour(arguments, &out == &std::cout, STDOUT_FILENO);
  context.error_style.enabled = wants_colour(arguments, &err == &std::cerr, STDERR_FILENO);
  try {
    CLI::App app(context.say(text("StarBridge ports, proves, places, runs and bills CUDA-native AI on mixed accelerators.",
                                  "StarBridge：把 CUDA 项目移植、验证、调度、运行并计费到混合算力池。")),
                 "starbridge");
    app.footer("  starbridge scan ./my-project --to ascend-910b3\n");
    set_up_help(app, context.language);
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", std::string("starbridge ") + SB_VERSION);
    std::string language;
    bool no_color = false;
    app.add_option(
        "--lang", language,
        context.say(text("language of messages: en or zh (default: from LANG)", "消息语言：en 或 zh（默认取自 LANG）")));
    app.add_flag("--json", context.json, context.say(text("machine-readable output on stdout", "以 JSON 输出结果")));
    app.add_flag("--quiet,-q", context.quiet, context.say(text("no progress and remarks", "不显示进度与提示")));
    app.add_flag("--no-color", no_color, context.say(text("no colours (NO_COLOR does the same)", "不使用颜色（等同 NO_COLOR）")));
    Frame frame(context, app);
    add_commands(frame);
    order_commands(app);

    if (std::string word = unknown_command(app, arguments); !word.empty())
      return show_error(context, unknown_command_error(app, word));
    try {
      std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
      app.parse(reversed);
    } catch (const CLI::Success& request) {  // --help, --version
      return app.exit(request, out, err);
    } catch (const CLI::ParseError& failure) {
      return show_error(context, usage_error(app, failure));
    }
    if (!frame.chosen_) {
      out << app.help();
      return 0;
    }
    base::Result<ExitCode> result = frame.chosen_();
    int code = result.ok() ? static_cast<int>(*result) : show_error(context, result.error());
    out.flush();
    if (!out) return show_error(context, Error("base.io_failed", text("the output could not be written", "无法写出结果")));
    return code;
  } catch (const std::bad_alloc&) {
    err << (context.is_chinese() ? "内存不足\n" : "out of memory\n");
    return static_cast<int>(ExitCode::kUnavailable);
  } catch (const std::exception& failure) {
    err << "starbridge: internal error: " << failure.what() << "\n";
    return static_cast<int>(ExitCode::kBug);
  }
}

}  // namespace starbridge::cli
