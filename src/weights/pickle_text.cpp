#include "weights/pickle_text.h"

#include <charconv>
#include <cstdint>
#include <limits>

namespace starbridge::weights {
namespace {

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  }
}

// Exactly `count` hexadecimal digits at the start of `text`.
bool take_hex(std::string_view& text, std::size_t count, std::uint32_t& value) {
  if (text.size() < count) return false;
  auto [end, problem] = std::from_chars(text.data(), text.data() + count, value, 16);
  if (problem != std::errc() || end != text.data() + count) return false;
  text.remove_prefix(count);
  return true;
}

std::uint32_t take_octal(std::string_view& text) {
  std::uint32_t value = 0;
  for (int digits = 0; digits < 3 && !text.empty() && text[0] >= '0' && text[0] <= '7'; ++digits) {
    value = value * 8 + static_cast<std::uint32_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value & 0xff;
}

}  // namespace

bool parse_quoted_text(std::string_view quoted, std::string& plain) {
  if (quoted.size() < 2 || (quoted[0] != '\'' && quoted[0] != '"') || quoted.back() != quoted[0]) return false;
  std::string_view rest = quoted.substr(1, quoted.size() - 2);
  while (!rest.empty()) {
    char c = rest[0];
    rest.remove_prefix(1);
    if (c != '\\') {
      plain += c;
      continue;
    }
    if (rest.empty()) return false;
    c = rest[0];
    if (c >= '0' && c <= '7') {
      plain += static_cast<char>(take_octal(rest));
      continue;
    }
    rest.remove_prefix(1);
    constexpr std::string_view kNames = "abfnrtv\\'\"";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
    std::uint32_t value = 0;
    if (std::size_t at = kNames.find(c); at != std::string_view::npos) {
      plain += kValues[at];
    } else if (c == 'x') {
      if (!take_hex(rest, 2, value)) return false;
      plain += static_cast<char>(value);
    } else {
      plain += '\\';
      plain += c;
    }
  }
  return true;
}

bool parse_raw_unicode(std::string_view raw, std::string& plain) {
  while (!raw.empty()) {
    auto c = static_cast<unsigned char>(raw[0]);
    raw.remove_prefix(1);
    std::uint32_t value = c;
    if (c == '\\' && !raw.empty() && (raw[0] == 'u' || raw[0] == 'U')) {
      std::size_t count = raw[0] == 'u' ? 4 : 8;
      raw.remove_prefix(1);
      if (!take_hex(raw, count, value) || value > 0x10ffff) return false;
      if (value >= 0xd800 && value < 0xe000) value = 0xfffd;  // a lone surrogate has no UTF-8 form
    }
    append_utf8(plain, value);
  }
  return true;
}

bool parse_pickle_float(std::string_view digits, double& value) {
  if (digits == "inf" || digits == "-inf") {
    value = digits[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
  }
  if (digits == "nan" || digits == "-nan") {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc() && end == digits.data() + digits.size();
}

}  // namespace starbridge::weights
