#include "base/yaml_scalars.h"

#include <yaml.h>

#include "base/yaml.h"

namespace starbridge::base {
namespace {

// libyaml counts characters; edits count bytes.
class ByteOffsets {
 public:
  explicit ByteOffsets(std::string_view content) : content_(content) {
    if (content.substr(0, 3) == "\xEF\xBB\xBF") first_ = 3;
    is_ascii_ = true;
    for (char c : content.substr(first_)) is_ascii_ = is_ascii_ && static_cast<unsigned char>(c) < 0x80;
    if (is_ascii_) return;
    for (std::size_t at = first_; at < content.size(); ++at) {
      if ((static_cast<unsigned char>(content[at]) & 0xC0) != 0x80) offsets_.push_back(static_cast<std::uint32_t>(at));
    }
  }
  std::size_t of(std::size_t character) const {
    if (is_ascii_) return std::min(first_ + character, content_.size());
    return character < offsets_.size() ? offsets_[character] : content_.size();
  }

 private:
  std::string_view content_;
  std::size_t first_ = 0;
  bool is_ascii_ = true;
  std::vector<std::uint32_t> offsets_;
};

class Collector {
 public:
  explicit Collector(std::string_view content) : content_(content), offsets_(content) {}

  bool take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        take_scalar(event);
        return true;
      case YAML_ALIAS_EVENT:
        finish_value(-1);
        return true;
      case YAML_SEQUENCE_START_EVENT:
        open(false, event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        return stack_.size() <= static_cast<std::size_t>(kYamlDepthMax);
      case YAML_MAPPING_START_EVENT:
        open(true, event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        return stack_.size() <= static_cast<std::size_t>(kYamlDepthMax);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        result.collections[static_cast<std::size_t>(stack_.back().collection)].last_scalar =
            static_cast<int>(result.scalars.size());
        stack_.pop_back();
        finish_value(-1);
        return true;
      default:
        return true;
    }
  }

  YamlScalars result;

 private:
  struct Open {
    int collection;
    bool is_mapping;
    bool expects_key;
    int key = -1;  // scalar
    int next_item = 0;
  };

  void open(bool is_mapping, bool is_flow) {
    YamlCollection collection;
    collection.is_mapping = is_mapping;
    collection.is_flow = is_flow;
    collection.first_scalar = static_cast<int>(result.scalars.size());
    if (!stack_.empty()) {
      collection.parent = stack_.back().collection;
      collection.key = stack_.back().is_mapping ? stack_.back().key : -1;
      collection.item = stack_.back().is_mapping ? -1 : stack_.back().next_item;
    }
    result.collections.push_back(collection);
    stack_.push_back({static_cast<int>(result.collections.size()) - 1, is_mapping, is_mapping, -1, 0});
  }

  // A node ended in the collection that is open: a key waits for its value, a value for the next key.
  void finish_value(int scalar) {
    if (stack_.empty()) return;
    Open& open = stack_.back();
    if (!open.is_mapping) {
      ++open.next_item;
    } else if (open.expects_key) {
      open.key = scalar;
      open.expects_key = false;
    } else {
      open.expects_key = true;
      open.key = -1;
    }
  }

  void take_scalar(const yaml_event_t& event) {
    YamlScalar scalar;
    scalar.value.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
    scalar.begin = offsets_.of(event.start_mark.index);
    scalar.end = std::max(scalar.begin, offsets_.of(event.end_mark.index));
    // The mark of a scalar with an anchor or a tag is that of its properties.
    while (scalar.begin < scalar.end && (content_[scalar.begin] == '&' || content_[scalar.begin] == '!')) {
      scalar.begin = std::min(content_.find_first_of(" \t\r\n", scalar.begin), scalar.end);
      scalar.begin = std::min(content_.find_first_not_of(" \t\r\n", scalar.begin), scalar.end);
    }
    switch (event.data.scalar.style) {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        scalar.style = event.data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ? YamlScalar::Style::kSingleQuoted
                                                                                  : YamlScalar::Style::kDoubleQuoted;
        if (scalar.end - scalar.begin >= 2) {
          ++scalar.begin;
          --scalar.end;
        }
        break;
      case YAML_LITERAL_SCALAR_STYLE:
      case YAML_FOLDED_SCALAR_STYLE:
        scalar.style =
            event.data.scalar.style == YAML_LITERAL_SCALAR_STYLE ? YamlScalar::Style::kLiteral : YamlScalar::Style::kFolded;
        scalar.begin = std::min(content_.find('\n', scalar.begin), scalar.end);
        if (scalar.begin < scalar.end) ++scalar.begin;
        break;
      default:
        break;
    }
    scalar.is_verbatim = content_.substr(scalar.begin, scalar.end - scalar.begin) == scalar.value;
    int index = static_cast<int>(result.scalars.size());
    if (!stack_.empty()) {
      const Open& open = stack_.back();
      scalar.parent = open.collection;
      scalar.is_key = open.is_mapping && open.expects_key;
      scalar.key = open.is_mapping && !open.expects_key ? open.key : -1;
      scalar.item = open.is_mapping ? -1 : open.next_item;
    }
    result.scalars.push_back(std::move(scalar));
    finish_value(index);
  }

  std::string_view content_;
  ByteOffsets offsets_;
  std::vector<Open> stack_;
};

}  // namespace

const YamlScalar* YamlScalars::key_of_collection(int collection) const {
  while (collection >= 0) {
    const YamlCollection& each = collections[static_cast<std::size_t>(collection)];
    if (each.key >= 0) return &scalars[static_cast<std::size_t>(each.key)];
    if (each.item < 0) return nullptr;
    collection = each.parent;
  }
  return nullptr;
}

const YamlScalar* YamlScalars::key_of(const YamlScalar& scalar) const {
  if (scalar.key >= 0) return &scalars[static_cast<std::size_t>(scalar.key)];
  return scalar.item >= 0 ? key_of_collection(scalar.parent) : nullptr;
}

const YamlScalar* YamlScalars::value_in(int mapping, std::string_view key) const {
  const YamlCollection& collection = collections[static_cast<std::size_t>(mapping)];
  for (int index = collection.first_scalar; index < collection.last_scalar; ++index) {
    const YamlScalar& scalar = scalars[static_cast<std::size_t>(index)];
    if (scalar.parent == mapping && scalar.key >= 0 && scalars[static_cast<std::size_t>(scalar.key)].value == key) return &scalar;
  }
  return nullptr;
}

Result<YamlScalars> find_yaml_scalars(std::string_view content, const std::string& name) {
  if (content.size() > kYamlBytesMax) {
    return Error("base.document_too_large", text("the document has {} bytes, more than the limit of {}",
                                                 "文件有 {} 字节，超过上限 {}", content.size(), kYamlBytesMax))
        .at(name);
  }
  if (!is_valid_utf8(content)) {
    return Error("base.malformed_yaml", text("the document is not UTF-8 text", "文件不是 UTF-8 文本"))
        .at(name)
        .next(text("save it as UTF-8", "请以 UTF-8 编码保存"));
  }
  yaml_parser_t parser;
  SB_CHECK(yaml_parser_initialize(&parser) == 1);
  struct Guard {
    yaml_parser_t* parser;
    ~Guard() { yaml_parser_delete(parser); }
  } guard{&parser};
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  Collector collector(content);
  for (;;) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) == 0) {
      std::string problem = parser.problem != nullptr ? parser.problem : "unreadable";
      return Error("base.malformed_yaml", text("not valid YAML: {}", "不是合法的 YAML：{}", sanitize_utf8(problem)))
          .at(name, static_cast<int>(parser.problem_mark.line) + 1, static_cast<int>(parser.problem_mark.column) + 1)
          .next(text("correct the YAML at this position", "请在此处修正 YAML"));
    }
    bool is_end = event.type == YAML_STREAM_END_EVENT;
    bool is_within_depth = collector.take(event);
    std::size_t line = event.start_mark.line;
    yaml_event_delete(&event);
    if (!is_within_depth) {
      return Error("base.document_too_deep",
                   text("the document nests deeper than {} levels", "文件嵌套超过 {} 层", kYamlDepthMax))
          .at(name, static_cast<int>(line) + 1, 1);
    }
    if (is_end) return std::move(collector.result);
  }
}

}  // namespace starbridge::base
