// Template: text with holes, "torch.optim.AdamW({params}, lr={lr|1e-3})". Pure; any thread.
//   {name}          what an argument test of the rule found under this keyword; {name|x}: x when it is not there
//   {call} {function} {arguments} {assigned}   the whole expression, what is called, what stands in the brackets, the left side
//   {device} {collective} {plugin} {chip} {tool}   words of the target
//   {{ and }}       brackets
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "port/declared/rule.h"

namespace starbridge::port {

// A run of plain text, or a hole.
struct TemplatePart {
  std::string text;  // plain text; of a hole its name
  std::string fallback;
  bool is_hole = false;
  bool has_fallback = false;
};
std::vector<TemplatePart> split_template(std::string_view text);

// The first hole that the rule cannot fill, with its brackets; empty: none.
std::string wrong_hole(std::string_view text, const DeclaredRule& rule);
std::string known_holes(const DeclaredRule& rule);

// `value` gives false for what is not there; then the fallback stands, or nothing.
std::string fill(std::string_view text, const std::function<bool(const std::string& hole, std::string& value)>& value);

// {device}, {collective}, {plugin}, {chip}, {tool}.
bool word_of_target(const Target& target, const std::string& hole, std::string& value);

}  // namespace starbridge::port
