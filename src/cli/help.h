// Help pages: examples first, headings in the user's language, commands in the order of the journey. One thread.
#pragma once

#include "base/text.h"

namespace CLI {
class App;
}

namespace starbridge::cli {

// Installs the formatter; subcommands added later inherit it. Examples are taken from each command's footer.
void set_up_help(CLI::App& app, base::Language language);
// Sorts the top-level commands: the journey first, the rest by name.
void order_commands(CLI::App& app);

}  // namespace starbridge::cli
