#include "port/python/comparisons.h"

#include <algorithm>

#include "port/python/sinks.h"
#include "port/python/site_details.h"

namespace starbridge::port::python {

void Comparisons::visit_lookup(NodeId table, NodeId key) {
  Kind kind = syntax_.kind(key);
  bool may_be_device = kind == Kind::kAttribute || kind == Kind::kIdentifier || kind == Kind::kCall;
  if (may_be_device) lookups_.push_back({table, key});
}

void Comparisons::run() {
  for (NodeId id : comparisons_) compare(id);
  for (NodeId statement : matches_) match(statement);
  for (NodeId call : prefix_tests_) {
    NodeId object = syntax_.child(syntax_.child(call, Field::kFunction), Field::kObject);
    if (is_device_like(object)) flow_.reach(argument_of(syntax_, call, "", 0), TextRole::kDevice);
  }
  for (const Lookup& lookup : lookups_) {
    if (is_device_like(lookup.key)) flow_.reach_keys(lookup.table);
  }
}

// Brackets, str(...) and .type say the same device; a loop, for they may stand as deep as the file is long.
bool Comparisons::is_device_like(NodeId expression) const {
  for (;;) {
    Kind kind = syntax_.kind(expression);
    if (kind == Kind::kParenthesized) {
      expression = syntax_.node(expression).first_child;
    } else if (kind == Kind::kCall) {
      NodeId function = syntax_.child(expression, Field::kFunction);
      bool is_text = syntax_.kind(function) == Kind::kIdentifier && syntax_.name(function) == "str";
      if (!is_text && scopes_.dotted_path(function) != "torch.device") return false;
      expression = argument_of(syntax_, expression, is_text ? "" : "type", 0);
    } else if (kind == Kind::kAttribute && syntax_.name(expression) == "type") {
      expression = syntax_.child(expression, Field::kObject);
    } else {
      break;
    }
  }
  Kind kind = syntax_.kind(expression);
  if (kind != Kind::kIdentifier && kind != Kind::kAttribute) return false;
  std::string path = scopes_.written_path(expression);
  if (kind == Kind::kAttribute && path.empty()) path = std::string(syntax_.name(expression));  // get().device
  const TextRole* role = role_of_name(last_name(path));
  if (kind == Kind::kAttribute && flow_.is_device_attribute(syntax_.name(expression))) return true;
  return (role != nullptr && *role == TextRole::kDevice) || flow_.is_device_name(path) || holds_device(expression);
}

// d = x.device, d = torch.device(...).
bool Comparisons::holds_device(NodeId expression) const {
  if (syntax_.kind(expression) != Kind::kIdentifier) return false;
  std::span<const Binding> bindings = scopes_.find(expression, syntax_.node(expression).symbol);
  return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
    if (binding.kind != Binding::Kind::kValue) return false;
    if (syntax_.kind(binding.node) == Kind::kAttribute) return syntax_.name(binding.node) == "device";
    return syntax_.kind(binding.node) == Kind::kCall &&
           scopes_.dotted_path(syntax_.child(binding.node, Field::kFunction)) == "torch.device";
  });
}

bool Comparisons::is_backend_like(NodeId expression) const {
  std::string path = scopes_.written_path(expression);
  const TextRole* role = role_of_name(last_name(path));
  if (role != nullptr) return *role == TextRole::kCollective;
  if (syntax_.kind(expression) != Kind::kCall) return false;
  return scopes_.dotted_path(syntax_.child(expression, Field::kFunction)) == "torch.distributed.get_backend";
}

void Comparisons::match(NodeId statement) {
  NodeId subject = syntax_.node(statement).first_child;
  if (!is_device_like(subject)) return;
  for (NodeId part = syntax_.node(subject).next_sibling; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (syntax_.node(part).field == Field::kPattern) flow_.reach_pattern(part);
  }
}

void Comparisons::compare(NodeId comparison) {
  std::vector<NodeId> operands;
  for (NodeId part = syntax_.node(comparison).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
    operands.push_back(part);
  bool has_device = std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return is_device_like(operand); });
  bool has_backend = std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return is_backend_like(operand); });
  bool has_environment =
      std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return scopes_.dotted_path(operand) == "os.environ"; });
  for (NodeId operand : operands) {
    Kind kind = syntax_.kind(operand);
    bool is_literal = kind == Kind::kString || kind == Kind::kTuple || kind == Kind::kList || kind == Kind::kSet;
    if (!is_literal) continue;
    if (has_device) flow_.reach(operand, TextRole::kDevice);
    if (has_backend) flow_.reach(operand, TextRole::kCollective);
    if (has_environment && kind == Kind::kString) on_environment_(operand);
  }
}

}  // namespace starbridge::port::python
