// Relevance: whether a text can say anything a port would change, by words alone. Most files of a large tree never touch a
// device: a word search spares them the parse. May say yes in vain, never no. Pure; any thread.
#pragma once

#include <string_view>

#include "port/tables.h"

namespace starbridge::port {

// `rules`: declared ones, whose names count too; may be null.
bool may_python_matter(std::string_view bytes, const Tables& tables, const RuleSet* rules = nullptr);
// Files without any name of interest may still hand a device on: f(device) in the file between two that matter.
bool may_python_pass_devices(std::string_view bytes);
bool may_shell_matter(std::string_view bytes);
// YAML and JSON.
bool may_settings_matter(std::string_view bytes);
// The raw JSON of a notebook.
bool may_notebook_matter(std::string_view bytes, const Tables& tables, const RuleSet* rules = nullptr);

}  // namespace starbridge::port
