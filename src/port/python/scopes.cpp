#include "port/python/scopes.h"

namespace starbridge::port::python {
namespace {

const std::vector<Binding> kNoBindings;
const std::vector<NodeId> kNoNodes;

template <class Map, class Key>
const std::vector<NodeId>& nodes_under(const Map& map, const Key& key) {
  auto found = map.find(key);
  return found == map.end() ? kNoNodes : found->second;
}

// Dotted names may be written with blanks or line breaks around the dots.
std::string without_blanks(std::string_view text) {
  std::string compact;
  for (char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\\') compact += c;
  }
  return compact;
}

}  // namespace

Scopes::Scopes(const Syntax& syntax) : syntax_(syntax) {
  const auto& nodes = syntax.nodes();
  scope_of_node_.assign(nodes.size(), 0);
  scopes_[0] = {};
  // Parents come before children in the array, so one pass assigns scopes from outside in.
  for (NodeId id = 1; id < nodes.size(); ++id) {
    NodeId parent = nodes[id].parent;
    Kind parent_kind = nodes[parent].kind;
    bool opens = parent_kind == Kind::kFunction || parent_kind == Kind::kClass || parent_kind == Kind::kLambda;
    // Defaults, decorators and base classes belong outside; bodies and parameter names inside.
    bool is_inside = nodes[id].field == Field::kBody || nodes[id].field == Field::kParameters;
    if (opens && is_inside) {
      if (scopes_.find(parent) == scopes_.end()) {
        scopes_[parent] = {scope_of_node_[parent], parent_kind == Kind::kClass, {}};
      }
      scope_of_node_[id] = parent;
    } else {
      scope_of_node_[id] = scope_of_node_[parent];
    }
  }
  for (NodeId id = 0; id < nodes.size(); ++id) visit(id);
}

NodeId Scopes::scope_of(NodeId node) const { return scope_of_node_[node]; }

void Scopes::visit(NodeId id) {
  const Node& node = syntax_.node(id);
  switch (node.kind) {
    case Kind::kImport:
      return bind_import(id, scope_of(id));
    case Kind::kImportFrom:
      return bind_import_from(id, scope_of(id));
    case Kind::kAssignment:
    case Kind::kAugmentedAssignment:
      return bind(scope_of(id), syntax_.child(id, Field::kLeft), syntax_.child(id, Field::kRight));
    case Kind::kNamedExpression:
      return bind(scope_of(id), syntax_.child(id, Field::kName), syntax_.child(id, Field::kValue));
    case Kind::kFunction:
    case Kind::kClass: {
      NodeId name = syntax_.child(id, Field::kName);
      if (name == kNoNode) return;
      bool is_function = node.kind == Kind::kFunction;
      NodeId scope = scope_of(id);
      scopes_[scope].names[syntax_.text(name)].push_back(
          {is_function ? Binding::Kind::kFunction : Binding::Kind::kClass, "", id, kNoNode, -1});
      if (is_function && scopes_[scope].is_class) methods_[syntax_.text(name)].push_back(id);
      if (is_function) bind_parameters(id);
      return;
    }
    case Kind::kLambda:
      return bind_parameters(id);
    case Kind::kCall: {
      NodeId function = syntax_.child(id, Field::kFunction);
      if (syntax_.kind(function) == Kind::kAttribute) function = syntax_.child(function, Field::kAttribute);
      if (syntax_.kind(function) == Kind::kIdentifier) calls_[syntax_.text(function)].push_back(id);
      return;
    }
    case Kind::kReturn: {
      NodeId value = node.first_child;
      if (value != kNoNode) returns_[scope_of(id)].push_back(value);
      return;
    }
    default:
      return;
  }
}

void Scopes::bind(NodeId scope, NodeId target, NodeId value) {
  if (target == kNoNode || value == kNoNode) return;
  switch (syntax_.kind(target)) {
    case Kind::kIdentifier:
      scopes_[scope].names[syntax_.text(target)].push_back({Binding::Kind::kValue, "", value, kNoNode, -1});
      if (scopes_[scope].is_class) attribute_values_[syntax_.text(target)].push_back(value);
      return;
    case Kind::kAttribute:
      if (NodeId name = syntax_.child(target, Field::kAttribute); name != kNoNode)
        attribute_values_[syntax_.text(name)].push_back(value);
      return;
    case Kind::kTuple:
    case Kind::kList: {
      bool is_pairwise = syntax_.kind(value) == Kind::kTuple || syntax_.kind(value) == Kind::kList;
      NodeId element = is_pairwise ? syntax_.node(value).first_child : kNoNode;
      for (NodeId part = syntax_.node(target).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
        if (element != kNoNode) bind(scope, part, element);
        if (element != kNoNode) element = syntax_.node(element).next_sibling;
      }
      return;
    }
    default:
      return;
  }
}

void Scopes::bind_import(NodeId statement, NodeId scope) {
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (syntax_.kind(part) == Kind::kDottedName) {
      // `import torch.cuda` binds `torch`.
      NodeId head = syntax_.node(part).first_child;
      if (head == kNoNode) continue;
      std::string_view name = syntax_.text(head);
      scopes_[scope].names[name].push_back({Binding::Kind::kImport, std::string(name), part, kNoNode, -1});
    } else if (syntax_.kind(part) == Kind::kAliasedImport) {
      NodeId name = syntax_.child(part, Field::kName);
      NodeId alias = syntax_.child(part, Field::kAlias);
      if (name == kNoNode || alias == kNoNode) continue;
      scopes_[scope].names[syntax_.text(alias)].push_back(
          {Binding::Kind::kImport, without_blanks(syntax_.text(name)), name, kNoNode, -1});
    }
  }
}

void Scopes::bind_import_from(NodeId statement, NodeId scope) {
  NodeId module = syntax_.child(statement, Field::kModuleName);
  if (syntax_.kind(module) != Kind::kDottedName) return;  // relative imports are the project's own
  std::string prefix = without_blanks(syntax_.text(module)) + ".";
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (part == module) continue;
    NodeId name = part;
    NodeId bound = part;
    if (syntax_.kind(part) == Kind::kAliasedImport) {
      name = syntax_.child(part, Field::kName);
      bound = syntax_.child(part, Field::kAlias);
    }
    if (syntax_.kind(name) != Kind::kDottedName || bound == kNoNode) continue;
    scopes_[scope].names[syntax_.text(bound)].push_back(
        {Binding::Kind::kImport, prefix + without_blanks(syntax_.text(name)), name, kNoNode, -1});
  }
}

void Scopes::bind_parameters(NodeId function) {
  NodeId parameters = syntax_.child(function, Field::kParameters);
  if (parameters == kNoNode) return;
  int position = 0;
  for (NodeId parameter = syntax_.node(parameters).first_child; parameter != kNoNode;
       parameter = syntax_.node(parameter).next_sibling) {
    Kind kind = syntax_.kind(parameter);
    NodeId name = parameter;
    NodeId value = kNoNode;
    if (kind == Kind::kDefaultParameter || kind == Kind::kTypedDefaultParameter) {
      name = syntax_.child(parameter, Field::kName);
      value = syntax_.child(parameter, Field::kValue);
    } else if (kind == Kind::kTypedParameter) {
      name = syntax_.child(parameter, Kind::kIdentifier);
    } else if (kind == Kind::kComment) {
      continue;
    }
    if (syntax_.kind(name) == Kind::kIdentifier) {
      scopes_[function].names[syntax_.text(name)].push_back({Binding::Kind::kParameter, "", value, function, position});
    }
    ++position;
  }
}

const std::vector<Binding>& Scopes::find(NodeId node, std::string_view name) const {
  bool is_first = true;
  for (NodeId scope_id = scope_of(node);;) {
    const Scope& scope = scopes_.at(scope_id);
    // Names of a class body are not seen from the methods inside it.
    if (is_first || !scope.is_class) {
      auto found = scope.names.find(name);
      if (found != scope.names.end()) return found->second;
    }
    if (scope.parent == kNoNode || scope_id == 0) return kNoBindings;
    is_first = false;
    scope_id = scope.parent;
  }
}

const std::vector<NodeId>& Scopes::attribute_values(std::string_view name) const { return nodes_under(attribute_values_, name); }
const std::vector<NodeId>& Scopes::calls_of(std::string_view name) const { return nodes_under(calls_, name); }
const std::vector<NodeId>& Scopes::returns_of(NodeId function) const { return nodes_under(returns_, function); }

std::vector<NodeId> Scopes::method_returns(std::string_view name) const {
  std::vector<NodeId> returns;
  auto found = methods_.find(name);
  if (found == methods_.end()) return returns;
  for (NodeId method : found->second) returns.insert(returns.end(), returns_of(method).begin(), returns_of(method).end());
  return returns;
}

std::string Scopes::written_path(NodeId expression) const {
  std::vector<std::string_view> names;
  while (syntax_.kind(expression) == Kind::kAttribute) {
    NodeId name = syntax_.child(expression, Field::kAttribute);
    if (name == kNoNode) return "";
    names.push_back(syntax_.text(name));
    expression = syntax_.child(expression, Field::kObject);
  }
  if (syntax_.kind(expression) != Kind::kIdentifier) return "";
  std::string path(syntax_.text(expression));
  for (auto name = names.rbegin(); name != names.rend(); ++name) path += "." + std::string(*name);
  return path;
}

std::string Scopes::dotted_path(NodeId expression) const {
  NodeId head = expression;
  while (syntax_.kind(head) == Kind::kAttribute) head = syntax_.child(head, Field::kObject);
  if (syntax_.kind(head) != Kind::kIdentifier) return "";
  for (const Binding& binding : find(head, syntax_.text(head))) {
    if (binding.kind != Binding::Kind::kImport) continue;
    std::string written = written_path(expression);
    return binding.module + written.substr(syntax_.text(head).size());
  }
  return "";
}

}  // namespace starbridge::port::python
