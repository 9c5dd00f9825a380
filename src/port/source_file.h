// SourceFile: the bytes of one file of a project and where its lines begin. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::port {

struct LineColumn {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
};

// Where lines begin; lines end with LF, CRLF or a lone CR.
class LineIndex {
 public:
  explicit LineIndex(std::string_view bytes);
  LineColumn at(std::size_t byte) const;
  int line_count() const { return static_cast<int>(starts_.size()); }
  // First byte of a line (from 1).
  std::size_t start_of(int line) const { return starts_[static_cast<std::size_t>(line - 1)]; }

 private:
  std::vector<std::uint32_t> starts_;
};

struct SourceFile {
  std::string path;  // relative to the project, with '/'
  std::string bytes;
};

// The line ending used first in the text: "\n", "\r\n" or "\r"; "\n" when there is none.
std::string_view line_ending_of(std::string_view bytes);

}  // namespace starbridge::port
