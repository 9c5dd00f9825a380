// The part of base/yaml.h that talks to libyaml: its event stream becomes a YamlNode tree. libyaml was chosen over yaml-cpp 0.7,
// whose scanner loops without end and without bound on memory on some malformed texts.
#include <yaml.h>

#include <map>

#include "base/yaml.h"

namespace starbridge::base {
namespace {

struct ParserGuard {
  yaml_parser_t parser{};
  ParserGuard() { SB_CHECK(yaml_parser_initialize(&parser) == 1); }
  ~ParserGuard() { yaml_parser_delete(&parser); }
  ParserGuard(const ParserGuard&) = delete;
  ParserGuard& operator=(const ParserGuard&) = delete;
};

struct EventGuard {
  yaml_event_t event{};
  ~EventGuard() { yaml_event_delete(&event); }
};

std::string name_of(const yaml_char_t* characters) {
  return characters == nullptr ? "" : reinterpret_cast<const char*>(characters);
}

bool is_null_word(std::string_view word) {
  return word.empty() || word == "~" || word == "null" || word == "Null" || word == "NULL";
}

}  // namespace

// Builds the tree of one document after the other; every handler returns the error that ends the reading.
class YamlTreeBuilder {
 public:
  explicit YamlTreeBuilder(const std::string& name) : file_(std::make_shared<const std::string>(name)) {}

  Status take_event(const yaml_event_t& event) {
    const yaml_mark_t& mark = event.start_mark;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        anchors_.clear();
        return {};
      case YAML_SCALAR_EVENT:
        return take_scalar(event);
      case YAML_ALIAS_EVENT:
        return take_alias(name_of(event.data.alias.anchor), mark);
      case YAML_SEQUENCE_START_EVENT:
        return open(mark, YamlNode::Kind::kSequence, name_of(event.data.sequence_start.anchor));
      case YAML_MAPPING_START_EVENT:
        return open(mark, YamlNode::Kind::kMapping, name_of(event.data.mapping_start.anchor));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return {};
    }
  }

  std::vector<YamlNode> take() { return std::move(documents_); }

 private:
  struct Open {
    YamlNode node;
    std::string anchor;
    std::string key;
    bool has_key = false;
  };

  Error refused(std::string_view code, const yaml_mark_t& mark, Text message) const {
    return Error(code, std::move(message)).at(*file_, static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1);
  }

  Error too_many(const yaml_mark_t& mark) const {
    return refused("base.document_too_large", mark,
                   text("the document expands to more than {} values", "文件展开后超过 {} 个值", kYamlNodesMax));
  }

  YamlNode make_node(const yaml_mark_t& mark, YamlNode::Kind kind) {
    ++node_count_;
    YamlNode node;
    node.kind_ = kind;
    node.file_ = file_;
    node.line_ = static_cast<int>(mark.line) + 1;
    node.column_ = static_cast<int>(mark.column) + 1;
    return node;
  }

  Status take_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    std::string value(reinterpret_cast<const char*>(scalar.value), scalar.length);
    bool quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE || name_of(scalar.tag) == YAML_STR_TAG;
    bool null_word = !quoted && !expects_key() && is_null_word(value);
    YamlNode node = make_node(event.start_mark, null_word ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar);
    if (node_count_ > kYamlNodesMax) return too_many(event.start_mark);
    if (!null_word) node.scalar_ = std::move(value);
    node.quoted_ = quoted;
    return add(std::move(node), name_of(scalar.anchor));
  }

  Status take_alias(const std::string& anchor, const yaml_mark_t& mark) {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      return refused(
          "base.malformed_yaml", mark,
          text("the alias \"{}\" has no complete anchor before it", "别名“{}”之前没有完整的锚点", sanitize_utf8(anchor)));
    }
    // Counted before copying, so that a bomb is refused before it takes memory.
    node_count_ += found->second.second;
    if (node_count_ > kYamlNodesMax) return too_many(mark);
    YamlNode copy = found->second.first;
    copy.line_ = static_cast<int>(mark.line) + 1;
    copy.column_ = static_cast<int>(mark.column) + 1;
    return add(std::move(copy), "");
  }

  bool expects_key() const { return !stack_.empty() && stack_.back().node.is_mapping() && !stack_.back().has_key; }

  Status open(const yaml_mark_t& mark, YamlNode::Kind kind, std::string anchor) {
    if (expects_key()) return refused("base.malformed_yaml", mark, text("a key must be plain text", "键必须是文本"));
    if (stack_.size() >= static_cast<std::size_t>(kYamlDepthMax)) {
      return refused("base.document_too_deep", mark,
                     text("the document nests deeper than {} levels", "文件嵌套超过 {} 层", kYamlDepthMax));
    }
    stack_.push_back({make_node(mark, kind), std::move(anchor), "", false});
    return node_count_ > kYamlNodesMax ? Status(too_many(mark)) : Status();
  }

  Status close() {
    Open finished = std::move(stack_.back());
    stack_.pop_back();
    return add(std::move(finished.node), finished.anchor);
  }

  Status add(YamlNode node, const std::string& anchor) {
    if (!anchor.empty()) anchors_[anchor] = {node, count(node)};
    if (stack_.empty()) {
      set_paths(node, "");
      documents_.push_back(std::move(node));
      return {};
    }
    Open& parent = stack_.back();
    if (parent.node.is_sequence()) {
      parent.node.items_.push_back(std::move(node));
    } else if (!parent.has_key) {
      parent.key = node.scalar_;
      parent.has_key = true;
    } else {
      if (const YamlNode* first = parent.node.find(parent.key)) return duplicate_key(parent.key, *first, node);
      parent.node.fields_.emplace_back(std::move(parent.key), std::move(node));
      parent.key.clear();
      parent.has_key = false;
    }
    return {};
  }

  Error duplicate_key(const std::string& key, const YamlNode& first, const YamlNode& second) const {
    return Error("base.malformed_yaml", text("the key \"{}\" appears twice (first on line {})",
                                             "键“{}”出现两次（首次在第 {} 行）", sanitize_utf8(key), first.line_))
        .at(*file_, second.line_, second.column_)
        .next(text("remove one of the two", "请删除其中一个"));
  }

  static std::size_t count(const YamlNode& node) {
    std::size_t total = 1;
    for (const YamlNode& item : node.items_) total += count(item);
    for (const auto& [name, value] : node.fields_) total += count(value);
    return total;
  }

  // Paths are set once, from the root, when a document is complete: aliases make the same value appear under several paths.
  static void set_paths(YamlNode& node, const std::string& path) {
    node.path_ = path;
    for (std::size_t index = 0; index < node.items_.size(); ++index) {
      set_paths(node.items_[index], path + "[" + std::to_string(index) + "]");
    }
    for (auto& [name, value] : node.fields_) set_paths(value, path.empty() ? name : path + "." + name);
  }

  std::shared_ptr<const std::string> file_;
  std::vector<YamlNode> documents_;
  std::vector<Open> stack_;
  std::map<std::string, std::pair<YamlNode, std::size_t>> anchors_;
  std::size_t node_count_ = 0;
};

Result<std::vector<YamlNode>> parse_yaml_documents(std::string_view content, const std::string& name) {
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
  ParserGuard guard;
  yaml_parser_set_input_string(&guard.parser, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  yaml_parser_set_encoding(&guard.parser, YAML_UTF8_ENCODING);
  YamlTreeBuilder builder(name);
  for (;;) {
    EventGuard event;
    if (yaml_parser_parse(&guard.parser, &event.event) == 0) {
      const yaml_mark_t& mark = guard.parser.problem_mark;
      std::string problem = guard.parser.problem != nullptr ? guard.parser.problem : "unreadable";
      if (guard.parser.context != nullptr) problem = std::string(guard.parser.context) + ", " + problem;
      return Error("base.malformed_yaml", text("not valid YAML: {}", "不是合法的 YAML：{}", sanitize_utf8(problem)))
          .at(name, static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1)
          .next(text("correct the YAML at this position", "请在此处修正 YAML"));
    }
    if (event.event.type == YAML_STREAM_END_EVENT) return builder.take();
    SB_TRY_VOID(builder.take_event(event.event));
  }
}

}  // namespace starbridge::base
