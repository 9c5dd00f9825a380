#include "port/source_file.h"

#include <algorithm>

namespace starbridge::port {

LineIndex::LineIndex(std::string_view bytes) {
  starts_.push_back(0);
  for (std::size_t position = 0; position < bytes.size(); ++position) {
    bool is_lone_cr = bytes[position] == '\r' && (position + 1 >= bytes.size() || bytes[position + 1] != '\n');
    if (bytes[position] == '\n' || is_lone_cr) starts_.push_back(static_cast<std::uint32_t>(position + 1));
  }
}

LineColumn LineIndex::at(std::size_t byte) const {
  auto after = std::upper_bound(starts_.begin(), starts_.end(), static_cast<std::uint32_t>(byte));
  int line = static_cast<int>(after - starts_.begin());
  return {line, static_cast<int>(byte - *(after - 1)) + 1};
}

std::string_view line_ending_of(std::string_view bytes) {
  std::size_t position = bytes.find_first_of("\r\n");
  if (position == std::string_view::npos || bytes[position] == '\n') return "\n";
  return position + 1 < bytes.size() && bytes[position + 1] == '\n' ? "\r\n" : "\r";
}

}  // namespace starbridge::port
