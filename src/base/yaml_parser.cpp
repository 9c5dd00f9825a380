// The part of base/yaml.h that talks to yaml-cpp: its event stream becomes a YamlNode tree, so that the library's own recursive
// node graph (and its recursion on hostile input) is never built.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "base/yaml.h"

namespace starbridge::base {
namespace {

struct Refused {
  Error error;
};

// Nesting of flow collections recurses inside yaml-cpp before any event reaches us, so brackets are counted first. Brackets
// inside quotes or comments are counted too; a document needs kYamlDepthMax * 4 of them unclosed to be refused here.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') depth = depth > 0 ? depth - 1 : 0;
    if (depth > kYamlDepthMax * 4) return true;
  }
  // Block collections nest by "- - - -" or by indentation.
  std::size_t dashes = 0;
  std::size_t indent = 0;
  bool at_start = true;
  for (char c : text) {
    if (c == '\n') {
      at_start = true;
      dashes = indent = 0;
    } else if (at_start && (c == '-' || c == '?')) {
      if (++dashes > kYamlDepthMax) return true;
    } else if (at_start && c == ' ') {
      if (++indent > 4000) return true;
    } else {
      at_start = false;
    }
  }
  return false;
}

}  // namespace

class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  explicit YamlTreeBuilder(const std::string& name) : file_(std::make_shared<const std::string>(name)) {}

  void OnDocumentStart(const YAML::Mark&) override {
    anchors_.clear();
    stack_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(leaf(mark, YamlNode::Kind::kNull), anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    // yaml-cpp marks quoted scalars by the tag "!" and plain ones by "?".
    bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    bool null_word = !quoted && (value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL");
    YamlNode node = leaf(mark, null_word ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar);
    node.scalar_ = null_word && !expects_key() ? "" : value;
    node.quoted_ = quoted;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      refuse("base.malformed_yaml", mark, text("an alias refers to an anchor that contains it", "别名引用了包含它自身的锚点"));
    }
    YamlNode copy = found->second;
    count_nodes(copy, mark);
    copy.line_ = mark.line + 1;
    copy.column_ = mark.column + 1;
    add(std::move(copy), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::kSequence, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::kMapping, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  std::vector<YamlNode> take() { return std::move(documents_); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::string key;
    bool has_key = false;
  };

  [[noreturn]] void refuse(std::string_view code, const YAML::Mark& mark, Text message) const {
    throw Refused{Error(code, std::move(message)).at(*file_, mark.line + 1, mark.column + 1)};
  }

  YamlNode leaf(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++node_count_ > kYamlNodesMax) too_many(mark);
    YamlNode node;
    node.kind_ = kind;
    node.file_ = file_;
    node.line_ = mark.line + 1;
    node.column_ = mark.column + 1;
    return node;
  }

  [[noreturn]] void too_many(const YAML::Mark& mark) const {
    refuse("base.document_too_large", mark,
           text("the document expands to more than {} values", "文件展开后超过 {} 个值", kYamlNodesMax));
  }

  void count_nodes(const YamlNode& node, const YAML::Mark& mark) {
    if (++node_count_ > kYamlNodesMax) too_many(mark);
    for (const YamlNode& item : node.items_) count_nodes(item, mark);
    for (const auto& [name, value] : node.fields_) count_nodes(value, mark);
  }

  bool expects_key() const { return !stack_.empty() && stack_.back().node.is_mapping() && !stack_.back().has_key; }

  void open(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (expects_key()) refuse("base.malformed_yaml", mark, text("a key must be plain text", "键必须是文本"));
    if (stack_.size() >= static_cast<std::size_t>(kYamlDepthMax)) {
      refuse("base.document_too_deep", mark,
             text("the document nests deeper than {} levels", "文件嵌套超过 {} 层", kYamlDepthMax));
    }
    stack_.push_back({leaf(mark, kind), anchor, "", false});
    stack_.back().node.path_ = "";
  }

  void close() {
    Open finished = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(finished.node), finished.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (stack_.empty()) {
      set_paths(node, "");
      documents_.push_back(std::move(node));
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.is_sequence()) {
      parent.node.items_.push_back(std::move(node));
    } else if (!parent.has_key) {
      parent.key = node.scalar_;
      parent.has_key = true;
    } else {
      for (const auto& [name, value] : parent.node.fields_) {
        if (name != parent.key) continue;
        throw Refused{Error("base.malformed_yaml", text("the key \"{}\" appears twice (first on line {})",
                                                        "键“{}”出现两次（首次在第 {} 行）", sanitize_utf8(name), value.line_))
                          .at(*file_, node.line_, node.column_)
                          .next(text("remove one of the two", "请删除其中一个"))};
      }
      parent.node.fields_.emplace_back(std::move(parent.key), std::move(node));
      parent.key.clear();
      parent.has_key = false;
    }
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
  std::map<YAML::anchor_t, YamlNode> anchors_;
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
  if (nests_too_deep(content)) {
    return Error("base.document_too_deep", text("the document nests deeper than {} levels", "文件嵌套超过 {} 层", kYamlDepthMax))
        .at(name);
  }
  try {
    std::istringstream stream{std::string(content)};
    YAML::Parser parser(stream);
    YamlTreeBuilder builder(name);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& failure) {
    return Error("base.malformed_yaml", text("not valid YAML: {}", "不是合法的 YAML：{}", sanitize_utf8(failure.msg)))
        .at(name, failure.mark.line + 1, failure.mark.column + 1)
        .next(text("correct the YAML at this position", "请在此处修正 YAML"));
  }
}

}  // namespace starbridge::base
