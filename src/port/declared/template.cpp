#include "port/declared/template.h"

#include <algorithm>
#include <array>

namespace starbridge::port {
namespace {

constexpr std::array<std::string_view, 5> kTargetHoles = {"device", "collective", "plugin", "chip", "tool"};
constexpr std::array<std::string_view, 4> kMatchHoles = {"call", "function", "arguments", "assigned"};

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<TemplatePart> split_template(std::string_view text) {
  std::vector<TemplatePart> parts;
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool is_doubled = at + 1 < text.size() && text[at + 1] == text[at];
    if ((text[at] == '{' || text[at] == '}') && is_doubled) {
      plain += text[at++];
      continue;
    }
    std::size_t close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      plain += text[at];
      continue;
    }
    if (!plain.empty()) parts.push_back({std::move(plain), "", false, false});
    plain.clear();
    std::string_view hole = text.substr(at + 1, close - at - 1);
    std::size_t bar = hole.find('|');
    TemplatePart part{std::string(hole.substr(0, bar)), "", true, bar != std::string_view::npos};
    if (part.has_fallback) part.fallback = std::string(hole.substr(bar + 1));
    parts.push_back(std::move(part));
    at = close;
  }
  if (!plain.empty()) parts.push_back({std::move(plain), "", false, false});
  return parts;
}

std::string wrong_hole(std::string_view text, const DeclaredRule& rule) {
  for (const TemplatePart& part : split_template(text)) {
    if (!part.is_hole || is_one_of(part.text, kTargetHoles) || is_one_of(part.text, kMatchHoles)) continue;
    bool is_argument = std::any_of(rule.match.arguments.begin(), rule.match.arguments.end(),
                                   [&](const ArgumentTest& test) { return test.keyword == part.text; });
    if (!is_argument) return "{" + part.text + "}";
  }
  return "";
}

std::string known_holes(const DeclaredRule& rule) {
  std::string all;
  auto add = [&](std::string_view name) { all += (all.empty() ? "{" : ", {") + std::string(name) + "}"; };
  for (const ArgumentTest& test : rule.match.arguments) add(test.keyword);
  for (std::string_view name : kMatchHoles) add(name);
  for (std::string_view name : kTargetHoles) add(name);
  return all;
}

std::string fill(std::string_view text, const std::function<bool(const std::string& hole, std::string& value)>& value) {
  std::string filled;
  for (const TemplatePart& part : split_template(text)) {
    std::string found;
    if (!part.is_hole) {
      filled += part.text;
    } else {
      filled += value(part.text, found) ? found : part.fallback;
    }
  }
  return filled;
}

bool word_of_target(const Target& target, const std::string& hole, std::string& value) {
  if (target.family == nullptr) return false;
  if (hole == "device") value = target.family->device;
  if (hole == "collective") value = target.family->collective;
  if (hole == "plugin") value = target.family->plugin;
  if (hole == "chip") value = target.chip->name;
  if (hole == "tool") value = target.chip->stack->facts.text("management_tool").value_or("-");
  return is_one_of(hole, kTargetHoles);
}

}  // namespace starbridge::port
