#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace starbridge::base {
namespace {

struct Decoded {
  char32_t code_point = 0;
  std::size_t length = 0;  // 0 means malformed
};

// Decodes the sequence that starts at `position`, refusing overlong forms, surrogates and values past U+10FFFF.
Decoded decode_at(std::string_view bytes, std::size_t position) {
  auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(bytes[position + offset]); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || position + length > bytes.size()) return {};
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t offset = 1; offset < length; ++offset) {
    if ((byte(offset) & 0xC0U) != 0x80U) return {};
    value = (value << 6) | (byte(offset) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

// East Asian wide and fullwidth blocks, and the emoji planes (Unicode Standard Annex 11, rounded to whole blocks).
bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) || (c >= 0x3041 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) ||
         (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
         (c >= 0x20000 && c <= 0x3FFFD);
}

bool is_zero_width(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200F) || c == 0xFE0F || c == 0x20E3;
}

}  // namespace

Language language_from_name(std::string_view name) {
  return starts_with_ignoring_case(name, "zh") || starts_with_ignoring_case(name, "cn") ? Language::kChinese : Language::kEnglish;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && to_lower(text.substr(0, prefix.size())) == to_lower(prefix);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t position = 0; position < text.size();) {
    Decoded decoded = decode_at(text, position);
    if (decoded.length == 0) {
      ++width;
      ++position;
      continue;
    }
    if (!is_zero_width(decoded.code_point)) width += is_wide(decoded.code_point) ? 2 : 1;
    position += decoded.length;
  }
  return width;
}

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t position = 0; position < bytes.size();) {
    Decoded decoded = decode_at(bytes, position);
    if (decoded.length == 0) return false;
    position += decoded.length;
  }
  return true;
}

std::string sanitize_utf8(std::string_view bytes) {
  std::string clean;
  clean.reserve(bytes.size());
  for (std::size_t position = 0; position < bytes.size();) {
    Decoded decoded = decode_at(bytes, position);
    if (decoded.length == 0) {
      clean += "\xEF\xBF\xBD";
      ++position;
    } else {
      clean.append(bytes.substr(position, decoded.length));
      position += decoded.length;
    }
  }
  return clean;
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t column = 0; column <= right.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= left.size(); ++line) {
    std::size_t diagonal = row[0];
    row[0] = line;
    for (std::size_t column = 1; column <= right.size(); ++column) {
      std::size_t substitution = diagonal + (left[line - 1] == right[column - 1] ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({row[column] + 1, row[column - 1] + 1, substitution});
    }
  }
  return row[right.size()];
}

}  // namespace starbridge::base
