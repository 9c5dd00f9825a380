#include "port/python/site_details.h"

#include <algorithm>

#include "port/files/lines.h"

namespace starbridge::port::python {
namespace {

Span span_of(const Syntax& syntax, NodeId id) { return {syntax.node(id).begin, syntax.node(id).end}; }

}  // namespace

std::string last_name(std::string_view path) {
  std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

bool is_configuration(const Syntax& syntax, NodeId function) {
  if (syntax.kind(function) != Kind::kIdentifier && syntax.kind(function) != Kind::kAttribute) return false;
  std::string_view name = syntax.name(function);
  return (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') || name == "dict" || name == "replace" || name == "set_defaults" ||
         name == "update";
}

std::vector<Span> method_parts(const Syntax& syntax, NodeId call) {
  NodeId arguments = syntax.child(call, Field::kArguments);
  if (syntax.kind(arguments) != Kind::kArgumentList) return {};
  Span brackets = span_of(syntax, arguments);
  Span device{brackets.second, brackets.second};
  int positional = 0;
  for (NodeId argument = syntax.node(arguments).first_child; argument != kNoNode; argument = syntax.node(argument).next_sibling) {
    Kind kind = syntax.kind(argument);
    if (kind == Kind::kStar || kind == Kind::kGenerator) return {};
    if (kind == Kind::kKeywordArgument) {
      if (syntax.name(argument) == "device") device = span_of(syntax, syntax.child(argument, Field::kValue));
      continue;
    }
    if (++positional > 1) return {};
    device = span_of(syntax, argument);
  }
  return {brackets, device};
}

Span assigned_subscript(const Syntax& syntax, NodeId string) {
  NodeId subscript = syntax.node(string).parent;
  if (syntax.kind(subscript) != Kind::kSubscript) return {0, 0};
  NodeId assignment = syntax.node(subscript).parent;
  bool is_target = syntax.kind(assignment) == Kind::kAssignment && syntax.node(subscript).field == Field::kLeft;
  // "x: str = ..." cannot be chained.
  if (!is_target || syntax.child(assignment, Kind::kType) != kNoNode) return {0, 0};
  return span_of(syntax, subscript);
}

std::size_t end_of_header(const Syntax& syntax, std::string_view source) {
  std::size_t end = 0;
  bool is_first = true;
  for (NodeId part = syntax.node(0).first_child; part != kNoNode; part = syntax.node(part).next_sibling) {
    NodeId inner = part;
    while (syntax.kind(inner) == Kind::kStatement || syntax.kind(inner) == Kind::kOther) {
      NodeId child = syntax.node(inner).first_child;
      if (child == kNoNode) break;
      inner = child;
    }
    Kind kind = syntax.kind(inner);
    bool is_docstring = is_first && (kind == Kind::kString || kind == Kind::kConcatenatedString);
    if (!is_docstring && syntax.kind(part) != Kind::kFutureImport) break;
    is_first = false;
    end = after_line(source, std::min(source.find_first_of("\r\n", syntax.node(part).end), source.size()));
  }
  if (end > 0) return end;
  // Behind "#!" and the comment that names the encoding, which hold on the first two lines only.
  if (source.substr(0, 3) == "\xEF\xBB\xBF") end = 3;
  for (int line = 0; line < 2 && end < source.size() && source[end] == '#'; ++line)
    end = after_line(source, std::min(source.find_first_of("\r\n", end), source.size()));
  return end;
}

}  // namespace starbridge::port::python
