#include "base/json.h"

#include <algorithm>

#include "base/files.h"

namespace starbridge::base {
namespace {

// Counts bracket depth outside strings before the real parser recurses into the document.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t position = 0; position < text.size(); ++position) {
    char c = text[position];
    if (in_string) {
      if (c == '\\') {
        ++position;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

Place place_of_byte(std::string_view text, std::size_t byte, const std::string& name) {
  std::string_view before = text.substr(0, std::min(byte, text.size()));
  int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  std::size_t line_start = before.rfind('\n');
  std::size_t column = line_start == std::string_view::npos ? before.size() : before.size() - line_start - 1;
  return {name, line, std::max(1, static_cast<int>(column)), ""};
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& name) {
  if (text.size() > kJsonBytesMax) {
    return Error("base.document_too_large", base::text("the document has {} bytes, more than the limit of {}",
                                                       "文件有 {} 字节，超过上限 {}", text.size(), kJsonBytesMax))
        .at(name);
  }
  if (depth_of(text) > kJsonDepthMax) {
    return Error("base.document_too_deep",
                 base::text("the document nests deeper than {} levels", "文件嵌套超过 {} 层", kJsonDepthMax))
        .at(name);
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& failure) {
    std::string what = failure.what();
    std::size_t colon = what.rfind(": ");
    std::string reason = sanitize_utf8(colon == std::string::npos ? what : what.substr(colon + 2));
    return Error("base.malformed_json", base::text("not valid JSON: {}", "不是合法的 JSON：{}", reason))
        .at(place_of_byte(text, failure.byte, name))
        .next(base::text("correct the JSON at this position", "请在此处修正 JSON"));
  } catch (const Json::exception& failure) {
    return Error("base.malformed_json", base::text("not acceptable JSON: {}", "不可接受的 JSON：{}", failure.what())).at(name);
  }
}

Result<Json> read_json(const std::string& path) {
  SB_TRY(std::string content, read_file(path, kJsonBytesMax));
  return parse_json(content, path);
}

std::string to_string(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace starbridge::base
