#include "port/source_file.h"

#include <algorithm>
#include <cstring>

namespace starbridge::port {

namespace {

// The first `wanted` from `position` on, or npos; memchr reads many bytes at once.
std::size_t find_byte(std::string_view bytes, char wanted, std::size_t position) {
  if (position >= bytes.size()) return std::string_view::npos;
  const void* found = std::memchr(bytes.data() + position, wanted, bytes.size() - position);
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

}  // namespace

LineIndex::LineIndex(std::string_view bytes) {
  starts_.reserve(bytes.size() / 32 + 1);
  starts_.push_back(0);
  std::size_t feed = find_byte(bytes, '\n', 0);
  std::size_t carriage = find_byte(bytes, '\r', 0);
  while (feed != std::string_view::npos || carriage != std::string_view::npos) {
    std::size_t after = 0;
    if (carriage < feed) {
      // CR LF is one ending, a lone CR another.
      after = carriage + 1;
      carriage = find_byte(bytes, '\r', after);
      if (feed == after) continue;
    } else {
      after = feed + 1;
      feed = find_byte(bytes, '\n', after);
    }
    starts_.push_back(static_cast<std::uint32_t>(after));
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
