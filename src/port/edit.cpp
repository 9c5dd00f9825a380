#include "port/edit.h"

#include <algorithm>
#include <tuple>

namespace starbridge::port {

using base::text;

base::Result<std::vector<Edit>> normalize_edits(std::vector<Edit> edits, std::size_t size) {
  auto key = [](const Edit& edit) { return std::tie(edit.begin, edit.end, edit.replacement, edit.rule); };
  std::sort(edits.begin(), edits.end(), [&](const Edit& left, const Edit& right) { return key(left) < key(right); });
  auto same_change = [](const Edit& left, const Edit& right) {
    return left.begin == right.begin && left.end == right.end && left.replacement == right.replacement;
  };
  edits.erase(std::unique(edits.begin(), edits.end(), same_change), edits.end());
  for (std::size_t index = 0; index < edits.size(); ++index) {
    const Edit& edit = edits[index];
    if (edit.begin > edit.end || edit.end > size) {
      return base::Error("port.edit_out_of_range",
                         text("an edit of bytes {} to {} leaves the file of {} bytes",
                              "对字节 {} 至 {} 的修改超出了 {} 字节的文件", edit.begin, edit.end, size));
    }
    if (index == 0) continue;
    const Edit& before = edits[index - 1];
    bool same_place = before.begin == edit.begin && before.end == edit.end;
    if (before.end > edit.begin || same_place) {
      return base::Error("port.edit_overlap", text("the rules {} and {} want to change the same bytes at {}",
                                                   "规则 {} 与 {} 要修改同一处字节 {}", before.rule, edit.rule, edit.begin));
    }
  }
  return edits;
}

std::string apply_edits(std::string_view original, const std::vector<Edit>& edits) {
  std::string out;
  out.reserve(original.size() + edits.size() * 8);
  std::size_t position = 0;
  for (const Edit& edit : edits) {
    SB_CHECK(edit.begin >= position);
    SB_CHECK(edit.end <= original.size());
    out.append(original.substr(position, edit.begin - position));
    out.append(edit.replacement);
    position = edit.end;
  }
  out.append(original.substr(position));
  return out;
}

std::vector<Edit> reverse_edits(std::string_view original, const std::vector<Edit>& edits) {
  std::vector<Edit> reversed;
  std::size_t shift = 0;  // wraps on purpose: sizes only ever add up to valid offsets
  for (const Edit& edit : edits) {
    std::size_t begin = edit.begin + shift;
    reversed.push_back(
        {begin, begin + edit.replacement.size(), std::string(original.substr(edit.begin, edit.end - edit.begin)), edit.rule});
    shift += edit.replacement.size() - (edit.end - edit.begin);
  }
  return reversed;
}

}  // namespace starbridge::port
