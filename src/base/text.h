// Text: a message in both languages of the interface, chosen when it is shown. Plain values; any thread.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace starbridge::base {

enum class Language { kEnglish, kChinese };

struct Text {
  std::string en;
  std::string zh;

  const std::string& in(Language language) const { return language == Language::kChinese && !zh.empty() ? zh : en; }
  bool empty() const { return en.empty(); }
  bool operator==(const Text&) const = default;
};

// Formats both languages with the same arguments; the format strings are checked at compile time.
template <class... Arguments>
Text text(fmt::format_string<const Arguments&...> en, fmt::format_string<const Arguments&...> zh, const Arguments&... arguments) {
  return {fmt::format(en, arguments...), fmt::format(zh, arguments...)};
}

// Kinds of language asked for: "zh", "zh_CN.UTF-8", "zh-CN" give Chinese, everything else English.
Language language_from_name(std::string_view name);

// ASCII-only helpers; bytes above 127 pass unchanged.
std::string to_lower(std::string_view text);
std::string_view trim(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

// Number of terminal columns of UTF-8 text: wide CJK characters count two, combining marks none.
// Invalid bytes count one each.
std::size_t display_width(std::string_view text);

// True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms).
bool is_valid_utf8(std::string_view bytes);

// Replaces each malformed byte by U+FFFD, so that the result may be put into JSON or on a terminal.
std::string sanitize_utf8(std::string_view bytes);

// The candidate nearest to `word` by edit distance, if it is near enough to be a typo; otherwise empty.
template <class Range>
std::string nearest_word(std::string_view word, const Range& candidates);

std::size_t edit_distance(std::string_view left, std::string_view right);

// Implementation --------------------------------------------------------------------------------------------------

template <class Range>
std::string nearest_word(std::string_view word, const Range& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;  // up to a third of the letters may be wrong, plus one
  for (const auto& candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace starbridge::base
