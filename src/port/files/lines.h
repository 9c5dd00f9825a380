// Lines of a text with their ends of whatever kind. Pure; any thread.
#pragma once

#include <algorithm>
#include <string_view>

namespace starbridge::port {

// The first byte after the line end that stands at `end` (LF, CRLF or CR), or `end` at the end of the text.
inline std::size_t after_line(std::string_view bytes, std::size_t end) {
  if (end >= bytes.size()) return bytes.size();
  return end + (bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
}

// Calls `take(begin, end)` for each line without its line end.
template <class Take>
void each_line(std::string_view bytes, Take take) {
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
    take(begin, end);
    begin = after_line(bytes, end);
  }
}

// The same for lines joined by a backslash at their ends.
template <class Take>
void each_joined_line(std::string_view bytes, Take take) {
  std::size_t joined_begin = std::string_view::npos;
  each_line(bytes, [&](std::size_t begin, std::size_t end) {
    if (joined_begin == std::string_view::npos) joined_begin = begin;
    bool goes_on = end > begin && bytes[end - 1] == '\\' && after_line(bytes, end) < bytes.size();
    if (goes_on) return;
    take(joined_begin, end);
    joined_begin = std::string_view::npos;
  });
}

}  // namespace starbridge::port
