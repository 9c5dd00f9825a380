#include "port/python/index_flow.h"

#include <algorithm>
#include <array>

#include "port/python/flow.h"

namespace starbridge::port::python {

void IndexFlow::visit_option(NodeId call) {
  NodeId type = argument_of(syntax_, call, "type", -1);
  bool is_int = type != kNoNode && syntax_.text(type) == "int";
  auto note = [&](NodeId string) {
    if (syntax_.kind(string) != Kind::kString) return;
    std::string word(read_literal(syntax_, string).text);
    std::size_t first = word.find_first_not_of('-');
    word.erase(0, first == std::string::npos ? word.size() : first);
    std::replace(word.begin(), word.end(), '-', '_');
    (is_int ? number_options_ : other_options_).insert(std::move(word));
  };
  for (int position = 0; position < 3; ++position) note(argument_of(syntax_, call, "", position));
  note(argument_of(syntax_, call, "dest", -1));
}

void IndexFlow::visit_spawn(NodeId call) {
  NodeId function = argument_of(syntax_, call, "fn", 0);
  if (syntax_.kind(function) == Kind::kIdentifier) spawned_.emplace(syntax_.name(function));
}

bool IndexFlow::can_be_formatted(NodeId expression) const {
  Kind kind = syntax_.kind(expression);
  std::string_view text = syntax_.text(expression);
  if (kind != Kind::kIdentifier && kind != Kind::kAttribute && kind != Kind::kBinary) return false;
  if (text.find_first_of("'\"{}\\\n\r#!:=") != std::string_view::npos) return false;
  for (NodeId parent = syntax_.node(expression).parent; parent != kNoNode; parent = syntax_.node(parent).parent) {
    if (syntax_.kind(parent) == Kind::kString) return false;  // a format string in a format string
  }
  return true;
}

bool IndexFlow::is_number(NodeId expression, int depth) const {
  if (expression == kNoNode || depth > kDepthMax) return false;
  switch (syntax_.kind(expression)) {
    case Kind::kConstant: {
      std::string_view text = syntax_.text(expression);
      return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    case Kind::kParenthesized:
      return is_number(syntax_.node(expression).first_child, depth + 1);
    case Kind::kBinary: {
      std::string_view text = syntax_.text(expression);
      if (text.find('/') != std::string_view::npos && text.find("//") == std::string_view::npos) return false;
      for (NodeId part = syntax_.node(expression).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
        if (!is_number(part, depth + 1)) return false;
      }
      return syntax_.node(expression).first_child != kNoNode;
    }
    case Kind::kCall:
      return is_number_call(expression);
    case Kind::kIdentifier: {
      std::span<const Binding> bindings = scopes_.find(expression, syntax_.node(expression).symbol);
      if (bindings.empty()) return is_counted(expression);
      return std::all_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
        if (binding.kind == Binding::Kind::kParameter) return is_number_parameter(binding);
        return binding.kind == Binding::Kind::kValue && binding.node != expression && is_number(binding.node, depth + 1);
      });
    }
    case Kind::kAttribute:
      return is_number_attribute(expression, depth);
    default:
      return false;
  }
}

// self.rank, args.local_rank: by what is assigned to the same written path, and by options. The same attribute of another object
// may be anything: x.device of a tensor beside self.device = rank.
bool IndexFlow::is_number_attribute(NodeId expression, int depth) const {
  std::string path = scopes_.written_path(expression);
  NodeId object = syntax_.child(expression, Field::kObject);
  if (path.empty() || syntax_.kind(object) != Kind::kIdentifier) return false;
  bool is_assigned = false;
  for (NodeId value : scopes_.attribute_values(syntax_.node(expression).symbol)) {
    NodeId assignment = syntax_.node(value).parent;
    NodeId left = syntax_.kind(assignment) == Kind::kAssignment ? syntax_.child(assignment, Field::kLeft) : kNoNode;
    if (left != kNoNode && scopes_.written_path(left) != path) continue;
    if (left == kNoNode || !is_number(value, depth + 1)) return false;
    is_assigned = true;
  }
  std::string_view name = syntax_.name(expression);
  if (other_options_.count(name) > 0) return false;
  return is_assigned || (number_options_.count(name) > 0 && holds_options(object));
}

// What parse_args() gave, by its binding or by the names everybody uses for it.
bool IndexFlow::holds_options(NodeId object) const {
  static constexpr std::array<std::string_view, 8> kNames = {"args", "opt", "opts", "options", "cfg", "config", "flags", "FLAGS"};
  if (std::find(kNames.begin(), kNames.end(), syntax_.name(object)) != kNames.end()) return true;
  std::span<const Binding> bindings = scopes_.find(object, syntax_.node(object).symbol);
  return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
    if (binding.kind != Binding::Kind::kValue || syntax_.kind(binding.node) != Kind::kCall) return false;
    NodeId function = syntax_.child(binding.node, Field::kFunction);
    return syntax_.kind(function) == Kind::kAttribute && syntax_.name(function) == "parse_args";
  });
}

// for i in range(...): the innermost loop over the name.
bool IndexFlow::is_counted(NodeId name) const {
  for (NodeId parent = syntax_.node(name).parent; parent != kNoNode; parent = syntax_.node(parent).parent) {
    NodeId target = syntax_.kind(parent) == Kind::kStatement ? syntax_.node(parent).first_child : kNoNode;
    if (syntax_.kind(target) != Kind::kIdentifier || syntax_.node(target).symbol != syntax_.node(name).symbol) continue;
    if (syntax_.text(parent).substr(0, 4) != "for ") return false;
    NodeId range = syntax_.node(target).next_sibling;
    return syntax_.kind(range) == Kind::kCall && syntax_.text(syntax_.child(range, Field::kFunction)) == "range";
  }
  return false;
}

bool IndexFlow::is_number_call(NodeId call) const {
  static constexpr std::array<std::string_view, 7> kGivers = {
      "torch.distributed.get_rank",      "torch.distributed.get_node_local_rank",
      "torch.cuda.current_device",       "torch.cuda.device_count",
      "torch.npu.current_device",        "torch.mlu.current_device",
      "torch.distributed.get_world_size"};
  NodeId function = syntax_.child(call, Field::kFunction);
  std::string path = scopes_.dotted_path(function);
  if (!path.empty()) return std::find(kGivers.begin(), kGivers.end(), path) != kGivers.end();
  bool is_builtin = syntax_.kind(function) == Kind::kIdentifier && scopes_.find(function, syntax_.node(function).symbol).empty();
  return is_builtin && (syntax_.name(function) == "int" || syntax_.name(function) == "range");
}

bool IndexFlow::is_number_parameter(const Binding& parameter) const {
  for (NodeId node = parameter.owner == kNoNode ? kNoNode
                                                : syntax_.node(syntax_.child(parameter.owner, Field::kParameters)).first_child;
       node != kNoNode; node = syntax_.node(node).next_sibling) {
    bool is_typed = syntax_.kind(node) == Kind::kTypedParameter || syntax_.kind(node) == Kind::kTypedDefaultParameter;
    if (!is_typed) continue;
    NodeId type = syntax_.child(node, Kind::kType);
    NodeId name = syntax_.child(node, Field::kName);
    if (name == kNoNode) name = syntax_.child(node, Kind::kIdentifier);
    int position = 0;
    for (NodeId before = syntax_.node(syntax_.node(node).parent).first_child; before != node;
         before = syntax_.node(before).next_sibling)
      ++position;
    if (position == parameter.position && type != kNoNode) return syntax_.text(type) == "int";
  }
  NodeId name = syntax_.kind(parameter.owner) == Kind::kFunction ? syntax_.child(parameter.owner, Field::kName) : kNoNode;
  if (name == kNoNode) return false;
  return parameter.position == 0 && spawned_.count(syntax_.text(name)) > 0;
}

}  // namespace starbridge::port::python
