// Frame: what every command shares: streams, language, output form, help with an example, errors and exit codes.
// A command is one file, NAME_command.cpp, that defines add_NAME_command(Frame&); the build lists it by itself.
// One thread.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/terminal.h"
#include "base/text.h"

namespace CLI {
class App;
}

namespace starbridge::cli {

// What the user chose by global options and the environment; filled before a command runs.
struct Context {
  std::ostream& out;  // results
  std::ostream& err;  // everything else
  base::Language language = base::Language::kEnglish;
  bool json = false;
  bool quiet = false;
  base::Style style;        // colours for `out`
  base::Style error_style;  // colours for `err`

  const std::string& say(const base::Text& text) const { return text.in(language); }
  bool is_chinese() const { return language == base::Language::kChinese; }
  // One JSON document on `out`, indented, with a final newline.
  void print_json(const base::Json& json_value) const;
  // A remark on `err` unless quiet.
  void note(const base::Text& text) const;
};

using Run = std::function<base::Result<base::ExitCode>()>;

class Frame {
 public:
  Frame(Context& context, CLI::App& app) : context_(context), app_(app) {}

  // Adds a command (or, with `parent`, a command below it). `examples` are full command lines; help opens with them.
  CLI::App* add(const std::string& name, const base::Text& description, std::vector<std::string> examples,
                CLI::App* parent = nullptr);
  // The command `name`, added before by a file whose name sorts before.
  CLI::App* group(const std::string& name);
  // What the command does once its arguments are parsed.
  void on_run(CLI::App* command, Run run);

  Context& context() { return context_; }
  const std::string& say(const base::Text& text) const { return context_.say(text); }

 private:
  friend int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);
  Context& context_;
  CLI::App& app_;
  Run chosen_;
};

// Defined by the build: calls every add_NAME_command.
void add_commands(Frame& frame);

// Parses and runs `arguments` (without the program's name); returns the exit code. Never throws.
int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// Splits "a,b , c" into {"a","b","c"}; empty parts are dropped.
std::vector<std::string> split_commas(const std::string& text);

}  // namespace starbridge::cli
