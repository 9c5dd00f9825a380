#include "port/declared/rule.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace starbridge::port {
namespace {

bool is_listed(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool is_version_below(std::string_view version, std::string_view limit) {
  auto next = [](std::string_view& text) {
    int number = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(failure == std::errc() ? static_cast<std::size_t>(end - text.data()) : text.size());
    if (!text.empty()) text.remove_prefix(1);
    return number;
  };
  for (int part = 0; part < 3; ++part) {
    int left = next(version);
    int right = next(limit);
    if (left != right) return left < right;
  }
  return false;
}

bool fits_glob(std::string_view glob, std::string_view text) {
  // Row by row over the pattern: which lengths of `text` the pattern so far can take.
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (std::size_t at = 0; at < glob.size(); ++at) {
    std::vector<bool> next(text.size() + 1, false);
    if (glob[at] == '*') {
      bool is_deep = at + 1 < glob.size() && glob[at + 1] == '*';
      bool is_open = false;
      for (std::size_t length = 0; length <= text.size(); ++length) {
        if (is_open && !is_deep && text[length - 1] == '/') is_open = false;
        is_open = is_open || reached[length];
        next[length] = is_open;
      }
      if (is_deep) {
        ++at;
        // "**/x" fits "x" too.
        if (at + 1 < glob.size() && glob[at + 1] == '/') {
          std::vector<bool> behind(text.size() + 1, false);
          for (std::size_t length = 0; length <= text.size(); ++length) {
            behind[length] = behind[length] || reached[length];
            if (length < text.size() && text[length] == '/' && next[length]) behind[length + 1] = true;
          }
          next = std::move(behind);
          ++at;
        }
      }
    } else {
      for (std::size_t length = 0; length < text.size(); ++length) {
        if (reached[length] && (glob[at] == '?' || glob[at] == text[length])) next[length + 1] = true;
      }
    }
    reached = std::move(next);
  }
  return reached[text.size()];
}

bool DeclaredRule::names_the_vendor() const {
  static constexpr std::array<std::string_view, 3> kHoles = {"{device}", "{collective}", "{plugin}"};
  auto names = [](const std::string& text) {
    return std::any_of(kHoles.begin(), kHoles.end(), [&](std::string_view hole) { return text.find(hole) != std::string::npos; });
  };
  return names(action.rename) || names(action.before) || names(action.after) || names(action.replacement) ||
         std::any_of(action.arguments.begin(), action.arguments.end(),
                     [&](const ArgumentEdit& edit) { return names(edit.value); });
}

bool DeclaredRule::edits_in(Style style) const {
  if (!scope.styles.empty()) return is_listed(scope.styles, to_string(style));
  return style == Style::kVendor || (style == Style::kPortable && !names_the_vendor());
}

bool DeclaredRule::holds_for_language(std::string_view file_kind) const {
  if (match.kind != RuleMatch::Kind::kText) return file_kind == "python" || file_kind == "notebook";
  return scope.languages.empty() || is_listed(scope.languages, file_kind);
}

bool DeclaredRule::holds_for(const Target& target, const std::string& path, const std::string& torch_version) const {
  if (target.family == nullptr || !is_listed(scope.families, target.family->backend)) return false;
  if (!scope.chips.empty() && !is_listed(scope.chips, target.chip->id)) return false;
  if (!scope.dtype_lacking.empty() && target.chip->dtype_status(scope.dtype_lacking) != "unsupported") return false;
  if (!scope.torch_below.empty() && !torch_version.empty() && !is_version_below(torch_version, scope.torch_below)) return false;
  auto fits = [&](const std::string& glob) { return fits_glob(glob, path); };
  if (!scope.paths.empty() && std::none_of(scope.paths.begin(), scope.paths.end(), fits)) return false;
  return std::none_of(scope.paths_refused.begin(), scope.paths_refused.end(), fits);
}

}  // namespace starbridge::port
