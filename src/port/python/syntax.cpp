#include "port/python/syntax.h"

#include <limits>

#include "base/check.h"
#include "port/python/grammar.h"
#include "port/python/parser.h"

namespace starbridge::port::python {

Syntax Syntax::parse(const std::string& source) {
  SB_CHECK(source.size() < std::numeric_limits<std::uint32_t>::max());
  std::size_t refused_at = 0;
  {
    Syntax syntax;
    Parser parser(source, syntax);
    if (parser.run()) return syntax;
    refused_at = parser.refused_at();
  }
  Syntax syntax;
  GrammarReader(source, syntax, refused_at).run();
  return syntax;
}

NodeId Syntax::child(NodeId id, Field field) const {
  if (id == kNoNode) return kNoNode;
  for (NodeId child = nodes_[id].first_child; child != kNoNode; child = nodes_[child].next_sibling) {
    if (nodes_[child].field == field) return child;
  }
  return kNoNode;
}

NodeId Syntax::child(NodeId id, Kind kind) const {
  if (id == kNoNode) return kNoNode;
  for (NodeId child = nodes_[id].first_child; child != kNoNode; child = nodes_[child].next_sibling) {
    if (nodes_[child].kind == kind) return child;
  }
  return kNoNode;
}

std::uint32_t Syntax::name_begin(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != Kind::kAttribute) return node.begin;
  return node.end - static_cast<std::uint32_t>(symbols_.text(node.symbol).size());
}

}  // namespace starbridge::port::python
