#include "port/diff.h"

#include <algorithm>

#include "base/text.h"

namespace starbridge::port {
namespace {

constexpr std::size_t kContext = 3;

// Lines with their '\n'; the last may lack it. '\r' stays part of the line, as patch expects.
std::vector<std::string_view> split_lines(std::string_view bytes) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = bytes.find('\n', begin);
    end = end == std::string_view::npos ? bytes.size() : end + 1;
    lines.push_back(bytes.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

// Lines [begin, end) of the original that a group of edits touches, and the text they become.
struct Change {
  std::size_t begin;
  std::size_t end;
  std::string replacement;
};

void add_line(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (line.empty() || line.back() != '\n') out += "\n\\ No newline at end of file\n";
}

std::vector<Change> changes_of(std::string_view original, const std::vector<std::string_view>& lines,
                               const std::vector<Edit>& edits) {
  std::vector<std::size_t> starts;
  std::size_t offset = 0;
  for (std::string_view line : lines) {
    starts.push_back(offset);
    offset += line.size();
  }
  auto line_of = [&](std::size_t byte) {
    auto after = std::upper_bound(starts.begin(), starts.end(), byte);
    return after == starts.begin() ? std::size_t{0} : static_cast<std::size_t>(after - starts.begin()) - 1;
  };
  auto start_of = [&](std::size_t line) { return line < starts.size() ? starts[line] : original.size(); };
  std::vector<Change> changes;
  for (std::size_t index = 0; index < edits.size();) {
    std::size_t first = line_of(edits[index].begin);
    // An insertion at the end of a file that ends with a newline adds lines after the last.
    if (edits[index].begin == original.size() && (original.empty() || original.back() == '\n')) first = lines.size();
    std::size_t last = first;
    std::size_t next = index;
    while (next < edits.size()) {
      std::size_t begin_line = edits[next].begin == original.size() && first == lines.size() ? first : line_of(edits[next].begin);
      if (next > index && begin_line >= last) break;
      bool is_pure_insert_at_line = edits[next].begin == edits[next].end && edits[next].begin == start_of(begin_line);
      std::size_t touched = edits[next].end > edits[next].begin ? line_of(edits[next].end - 1) + 1
                                                                : (is_pure_insert_at_line ? begin_line : begin_line + 1);
      last = std::max(last, touched);
      ++next;
    }
    std::size_t from = start_of(first);
    std::size_t to = start_of(last);
    std::vector<Edit> inside;
    for (std::size_t each = index; each < next; ++each) {
      Edit moved = edits[each];
      moved.begin -= from;
      moved.end -= from;
      inside.push_back(std::move(moved));
    }
    changes.push_back({first, last, apply_edits(original.substr(from, to - from), inside)});
    index = next;
  }
  return changes;
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view original, const std::vector<Edit>& edits) {
  if (edits.empty()) return "";
  std::vector<std::string_view> lines = split_lines(original);
  std::vector<Change> changes = changes_of(original, lines, edits);
  std::string out = fmt::format("--- a/{}\n+++ b/{}\n", path, path);
  long shift = 0;
  for (std::size_t index = 0; index < changes.size();) {
    std::size_t next = index + 1;
    while (next < changes.size() && changes[next].begin <= changes[next - 1].end + 2 * kContext) ++next;
    std::size_t begin = changes[index].begin > kContext ? changes[index].begin - kContext : 0;
    std::size_t end = std::min(lines.size(), changes[next - 1].end + kContext);
    std::string body;
    std::size_t new_count = 0;
    std::size_t at = begin;
    for (std::size_t each = index; each < next; ++each) {
      for (; at < changes[each].begin; ++at, ++new_count) add_line(body, ' ', lines[at]);
      for (; at < changes[each].end; ++at) add_line(body, '-', lines[at]);
      for (std::string_view line : split_lines(changes[each].replacement)) {
        add_line(body, '+', line);
        ++new_count;
      }
    }
    for (; at < end; ++at, ++new_count) add_line(body, ' ', lines[at]);
    std::size_t old_count = end - begin;
    long new_begin = static_cast<long>(begin) + shift;
    out += fmt::format("@@ -{},{} +{},{} @@\n", old_count == 0 ? begin : begin + 1, old_count,
                       new_count == 0 ? new_begin : new_begin + 1, new_count);
    out += body;
    shift += static_cast<long>(new_count) - static_cast<long>(old_count);
    index = next;
  }
  return out;
}

std::string new_file_diff(std::string_view path, std::string_view bytes) {
  std::string patch = unified_diff(path, "", {{0, 0, std::string(bytes), "new-file"}});
  return patch.empty() ? patch : "--- /dev/null" + patch.substr(patch.find('\n'));
}

}  // namespace starbridge::port
