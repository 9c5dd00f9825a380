#include "cli/extension_scripts.h"

#include <filesystem>
#include <set>

#include "port/python/syntax.h"

namespace starbridge::cli {

using port::Edit;
using port::python::Field;
using port::python::Kind;
using port::python::kNoNode;
using port::python::NodeId;
using port::python::Syntax;

namespace {

constexpr std::string_view kEnding = ".cu";

class Script {
 public:
  Script(const std::string& text, const std::map<std::string, std::string>& hosts)
      : text_(text), hosts_(hosts), syntax_(Syntax::parse(text)) {}

  std::vector<Edit> edits() {
    for (NodeId node = 0; node != kNoNode; node = syntax_.next(node)) {
      if (syntax_.kind(node) == Kind::kString) take(node);
    }
    return std::move(edits_);
  }

 private:
  void take(NodeId literal) {
    const std::string_view written = syntax_.text(literal);
    const std::size_t close = written.find_last_not_of("'\"");
    if (close == std::string_view::npos || close + 1 == written.size()) return;
    const std::string value(written.substr(0, close + 1));  // with the prefix and quotes in front
    if (value.size() <= kEnding.size() || value.compare(value.size() - kEnding.size(), kEnding.size(), kEnding) != 0) return;
    std::string name = value.substr(value.find_last_of("/'\"") + 1);
    value_end_ = syntax_.node(literal).begin + close + 1;
    if (name.find('*') != std::string::npos) {
      const NodeId call = call_around(literal, {"glob", "iglob", "rglob"});
      if (call == kNoNode)
        replace(literal, with(literal, kEnding.size(), ".mlu"));
      else
        replace(call, "[*" + with(call, kEnding.size(), ".mlu") + ", *" + with(call, kEnding.size(), kFoundHostEnding) + "]");
    } else if (auto host = hosts_.find(name); host != hosts_.end()) {
      const NodeId element = element_of(literal);
      replace(element, with(element, kEnding.size(), ".mlu") + ", " + with(element, name.size(), host->second));
    }
  }

  void replace(NodeId node, std::string by) {
    edits_.push_back({syntax_.node(node).begin, syntax_.node(node).end, std::move(by), kKernelPortedRule});
  }
  // The expression once more, with another end of the literal's text, `count` characters long.
  std::string with(NodeId expression, std::size_t count, std::string_view other) const {
    return std::string(syntax_.text(expression)).replace(value_end_ - count - syntax_.node(expression).begin, count, other);
  }
  // The innermost call of a function named one of `words` that a node is in, within one expression.
  NodeId call_around(NodeId node, const std::set<std::string_view>& words) const {
    for (NodeId at = syntax_.node(node).parent; at != kNoNode; at = syntax_.node(at).parent) {
      const Kind kind = syntax_.kind(at);
      if (kind == Kind::kStatement || kind == Kind::kBlock || kind == Kind::kAssignment) return kNoNode;
      if (kind == Kind::kCall && words.count(syntax_.name(syntax_.child(at, Field::kFunction))) > 0) return at;
    }
    return kNoNode;
  }
  // An element of a list of sources: the path made of pieces of which the literal is the last, or the literal.
  NodeId element_of(NodeId literal) const {
    const NodeId call = call_around(literal, {"join", "Path"});
    if (call == kNoNode) return literal;
    const std::size_t end = syntax_.node(literal).end;
    const bool is_last = text_.find_first_not_of(" \t\r\n,)]", end) >= syntax_.node(call).end;
    return is_last ? call : literal;
  }

  const std::string& text_;
  const std::map<std::string, std::string>& hosts_;
  Syntax syntax_;
  std::size_t value_end_ = 0;  // where the literal's text ends
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> source_edits(const std::string& script, const std::map<std::string, std::string>& hosts) {
  return Script(script, hosts).edits();
}

}  // namespace starbridge::cli
