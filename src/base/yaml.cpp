#include "base/yaml.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/files.h"
#include "base/json.h"

namespace starbridge::base {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size();
}

}  // namespace

Place YamlNode::place() const { return {file_ ? *file_ : "", line_, column_, path_}; }

Error YamlNode::wrong(Text message) const { return Error("base.wrong_field", std::move(message)).at(place()); }

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, value] : fields_) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<const YamlNode*> YamlNode::require(std::string_view key) const {
  if (!is_mapping()) return wrong(text("a mapping with the field \"{}\" was expected", "此处应为含字段“{}”的映射", key));
  if (const YamlNode* value = find(key)) return value;
  return wrong(text("the field \"{}\" is missing", "缺少字段“{}”", key))
      .next(text("add \"{}: ...\" here", "请在此处添加“{}: ...”", key));
}

Status YamlNode::refuse_unknown_fields(const std::vector<std::string_view>& known) const {
  if (!is_mapping()) return wrong(text("a mapping was expected", "此处应为映射"));
  for (const auto& [name, value] : fields_) {
    bool is_known = false;
    for (std::string_view candidate : known) is_known = is_known || candidate == name;
    if (is_known) continue;
    Error error = value.wrong(text("unknown field \"{}\"", "未知字段“{}”", sanitize_utf8(name)));
    std::string near = nearest_word(name, known);
    if (!near.empty()) return std::move(error).next(text("did you mean \"{}\"?", "是否想写“{}”？", near));
    std::string all;
    for (std::string_view candidate : known) all += (all.empty() ? "" : ", ") + std::string(candidate);
    return std::move(error).next(text("known fields here: {}", "此处可用字段：{}", all));
  }
  return {};
}

Result<std::string> YamlNode::as_string() const {
  if (!is_scalar()) return wrong(text("text was expected", "此处应为文本"));
  return scalar_;
}

Result<std::int64_t> YamlNode::as_integer() const {
  std::int64_t number = 0;
  if (!is_scalar() || quoted_ || !parse_whole(scalar_, number)) {
    return wrong(text("a whole number was expected, not \"{}\"", "此处应为整数，而不是“{}”", sanitize_utf8(scalar_)));
  }
  return number;
}

Result<double> YamlNode::as_number() const {
  double number = 0;
  if (!is_scalar() || quoted_ || !parse_whole(scalar_, number) || !std::isfinite(number)) {
    return wrong(text("a number was expected, not \"{}\"", "此处应为数字，而不是“{}”", sanitize_utf8(scalar_)));
  }
  return number;
}

Result<bool> YamlNode::as_boolean() const {
  std::string word = to_lower(scalar_);
  if (is_scalar() && !quoted_ && (word == "true" || word == "yes" || word == "on")) return true;
  if (is_scalar() && !quoted_ && (word == "false" || word == "no" || word == "off")) return false;
  return wrong(text("true or false was expected, not \"{}\"", "此处应为 true 或 false，而不是“{}”", sanitize_utf8(scalar_)));
}

Result<std::vector<std::string>> YamlNode::as_string_list() const {
  std::vector<std::string> list;
  if (is_scalar()) {
    list.push_back(scalar_);
    return list;
  }
  if (!is_sequence()) return wrong(text("a list of texts was expected", "此处应为文本列表"));
  for (const YamlNode& item : items_) {
    SB_TRY(std::string element, item.as_string());
    list.push_back(std::move(element));
  }
  return list;
}

Json YamlNode::to_json() const {
  if (is_sequence()) {
    Json array = Json::array();
    for (const YamlNode& item : items_) array.push_back(item.to_json());
    return array;
  }
  if (is_mapping()) {
    Json object = Json::object();
    for (const auto& [name, value] : fields_) object[name] = value.to_json();
    return object;
  }
  if (is_null()) return nullptr;
  std::int64_t integer = 0;
  double number = 0;
  if (quoted_) return scalar_;
  if (scalar_ == "true" || scalar_ == "True" || scalar_ == "TRUE") return true;
  if (scalar_ == "false" || scalar_ == "False" || scalar_ == "FALSE") return false;
  if (parse_whole(scalar_, integer)) return integer;
  if (parse_whole(scalar_, number) && std::isfinite(number)) return number;
  return scalar_;
}

Result<YamlNode> parse_yaml(std::string_view content, const std::string& name) {
  SB_TRY(std::vector<YamlNode> documents, parse_yaml_documents(content, name));
  if (documents.size() > 1) {
    return documents[1]
        .wrong(text("one document was expected, this file has {}", "此处应只有一个文档，文件中有 {} 个", documents.size()))
        .next(text("remove the \"---\" that starts the second document", "请删除第二个文档前的“---”"));
  }
  return documents.empty() ? YamlNode() : std::move(documents[0]);
}

Result<YamlNode> read_yaml(const std::string& path) {
  SB_TRY(std::string content, read_file(path, kYamlBytesMax));
  return parse_yaml(content, path);
}

}  // namespace starbridge::base
