#include "kernel/source_words.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace starbridge::kernel {

namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & '\x80') != 0; }

// Behind the literal that opens at `at`. One without an end stops at its line.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (std::size_t i = at + 1; i < source.size() && source[i] != '\n'; ++i) {
    if (source[i] == '\\')
      ++i;
    else if (source[i] == quote)
      return i + 1;
  }
  return std::min(source.find('\n', at), source.size());
}

// R"tag( ... )tag": `at` is its quote.
std::size_t end_of_raw_literal(std::string_view source, std::size_t at) {
  const std::size_t open = source.find('(', at);
  if (open == std::string_view::npos || open - at > 17) return end_of_literal(source, at);
  const std::string close = ")" + std::string(source.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t found = source.find(close, open);
  return found == std::string_view::npos ? source.size() : found + close.size();
}

}  // namespace

bool is_name(std::string_view word) { return !word.empty() && is_name_char(word[0]); }

std::vector<Word> words_of_source(std::string_view source) {
  std::vector<Word> words;
  int line = 1;
  auto step_to = [&](std::size_t from, std::size_t to) {
    line += static_cast<int>(std::count(source.begin() + static_cast<std::ptrdiff_t>(from),
                                        source.begin() + static_cast<std::ptrdiff_t>(std::min(to, source.size())), '\n'));
    return std::min(to, source.size());
  };
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    const std::string_view rest = source.substr(i);
    if (c == '\n') {
      ++line;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      ++i;
    } else if (rest.substr(0, 2) == "//") {
      // A line that ends in a backslash goes on.
      std::size_t end = i;
      do end = source.find('\n', end + 1);
      while (end != std::string_view::npos && source[end - 1] == '\\');
      i = step_to(i, end);
    } else if (rest.substr(0, 2) == "/*") {
      const std::size_t end = source.find("*/", i + 2);
      i = step_to(i, end == std::string_view::npos ? source.size() : end + 2);
    } else if (c == '"' || c == '\'') {
      const bool is_raw = c == '"' && i > 0 && source[i - 1] == 'R';
      words.push_back({source.substr(i, 1), line});
      i = step_to(i, is_raw ? end_of_raw_literal(source, i) : end_of_literal(source, i));
    } else if (is_name_char(c)) {
      std::size_t end = i;
      while (end < source.size() && is_name_char(source[end])) ++end;
      // 1'000: a mark within a number, no literal.
      while (std::isdigit(static_cast<unsigned char>(c)) != 0 && end + 1 < source.size() && source[end] == '\'' &&
             is_name_char(source[end + 1])) {
        ++end;
        while (end < source.size() && is_name_char(source[end])) ++end;
      }
      words.push_back({source.substr(i, end - i), line});
      i = end;
    } else {
      const std::size_t length = rest.substr(0, 3) == "<<<" || rest.substr(0, 3) == ">>>" ? 3 : 1;
      words.push_back({source.substr(i, length), line});
      i += length;
    }
  }
  return words;
}

}  // namespace starbridge::kernel
