#include "port/python/scopes.h"

#include <algorithm>
#include <array>

namespace starbridge::port::python {
namespace {

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
  is_import_.assign(syntax.symbols().size(), false);
  // Parents come before their children, so one walk assigns scopes from outside in.
  for (NodeId id = syntax.next(0); id != kNoNode; id = syntax.next(id)) {
    const Node& node = nodes[id];
    Kind parent_kind = nodes[node.parent].kind;
    bool opens = parent_kind == Kind::kFunction || parent_kind == Kind::kClass || parent_kind == Kind::kLambda;
    // Defaults, decorators and base classes belong outside; bodies and parameter names inside.
    bool is_inside = opens && (node.field == Field::kBody || node.field == Field::kParameters);
    scope_of_node_[id] = is_inside ? node.parent : scope_of_node_[node.parent];
    visit(id);
  }
  if (!star_modules_.empty()) bind_customary_names();
  std::size_t names = syntax.symbols().size();
  bindings_.file(names);
  for (Symbol name = 0; name < names; ++name) {
    std::span<Binding> bound = bindings_.under(name);
    // Imports first: dotted_path looks at one binding only.
    auto by_scope = [](const Binding& left, const Binding& right) {
      return std::pair(left.scope, left.kind != Binding::Kind::kImport) <
             std::pair(right.scope, right.kind != Binding::Kind::kImport);
    };
    if (!std::is_sorted(bound.begin(), bound.end(), by_scope)) std::stable_sort(bound.begin(), bound.end(), by_scope);
  }
  attribute_values_.file(names);
  calls_.file(names);
  methods_.file(names);
  std::stable_sort(returns_.begin(), returns_.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
}

// What a star import brings is not known to this file. Names that the field gives to one module only are taken for it, unless the
// file binds them itself.
void Scopes::bind_customary_names() {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kCustomary = {{{"torch", "torch"},
                                                                                               {"os", "os"},
                                                                                               {"nn", "torch.nn"},
                                                                                               {"F", "torch.nn.functional"},
                                                                                               {"dist", "torch.distributed"},
                                                                                               {"optim", "torch.optim"}}};
  for (const auto& [name, module] : kCustomary) {
    Symbol symbol = syntax_.symbols().find(name);
    if (symbol != kNoSymbol && !bindings_.is_waiting(symbol)) bind_module(symbol, 0, 0, std::string(module));
  }
}

void Scopes::visit(NodeId id) {
  const Node& node = syntax_.node(id);
  NodeId scope = scope_of_node_[id];
  if (node.field == Field::kRight) visit_loop(id, scope);
  switch (node.kind) {
    case Kind::kImport:
      return bind_import(id, scope);
    case Kind::kImportFrom:
      return bind_import_from(id, scope);
    case Kind::kAssignment:
    case Kind::kAugmentedAssignment:
      return bind_target(scope, syntax_.child(id, Field::kLeft), syntax_.child(id, Field::kRight));
    case Kind::kNamedExpression:
      return bind_target(scope, syntax_.child(id, Field::kName), syntax_.child(id, Field::kValue));
    case Kind::kFunction:
    case Kind::kClass: {
      NodeId name = syntax_.child(id, Field::kName);
      if (name == kNoNode) return;
      bool is_function = node.kind == Kind::kFunction;
      Symbol symbol = syntax_.node(name).symbol;
      bind(symbol, {is_function ? Binding::Kind::kFunction : Binding::Kind::kClass, scope, id, kNoNode, -1, 0});
      if (is_function && is_class(scope)) methods_.add(symbol, id);
      if (is_function) bind_parameters(id);
      return;
    }
    case Kind::kLambda:
      return bind_parameters(id);
    case Kind::kCall: {
      NodeId function = syntax_.child(id, Field::kFunction);
      Kind kind = syntax_.kind(function);
      if (kind == Kind::kAttribute || kind == Kind::kIdentifier) calls_.add(syntax_.node(function).symbol, id);
      return;
    }
    case Kind::kReturn: {
      NodeId value = node.first_child;
      if (value != kNoNode) returns_.emplace_back(scope, value);
      return;
    }
    default:
      return;
  }
}

void Scopes::bind_target(NodeId scope, NodeId target, NodeId value) {
  if (target == kNoNode || value == kNoNode) return;
  switch (syntax_.kind(target)) {
    case Kind::kIdentifier: {
      Symbol name = syntax_.node(target).symbol;
      bind(name, {Binding::Kind::kValue, scope, value, kNoNode, -1, 0});
      if (is_class(scope)) attribute_values_.add(name, value);
      return;
    }
    case Kind::kAttribute:
      return attribute_values_.add(syntax_.node(target).symbol, value);
    case Kind::kTuple:
    case Kind::kList: {
      bool is_pairwise = syntax_.kind(value) == Kind::kTuple || syntax_.kind(value) == Kind::kList;
      NodeId element = is_pairwise ? syntax_.node(value).first_child : kNoNode;
      for (NodeId part = syntax_.node(target).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
        if (element == kNoNode) return;
        bind_target(scope, part, element);
        element = syntax_.node(element).next_sibling;
      }
      return;
    }
    default:
      return;
  }
}

// `iterable` may stand in `for target in iterable`, of a statement or a comprehension.
void Scopes::visit_loop(NodeId iterable, NodeId scope) {
  Kind kind = syntax_.kind(syntax_.node(iterable).parent);
  if (kind != Kind::kStatement && kind != Kind::kComprehension && kind != Kind::kGenerator && kind != Kind::kOther) return;
  NodeId target = kNoNode;
  for (NodeId part = syntax_.node(syntax_.node(iterable).parent).first_child; part != iterable;
       part = syntax_.node(part).next_sibling) {
    if (syntax_.node(part).field == Field::kLeft) target = part;
  }
  bind_loop(scope, target, iterable);
}

// Whoever follows a value takes a container for its elements; so the container stands for the element bound here.
void Scopes::bind_loop(NodeId scope, NodeId target, NodeId iterable) {
  if (syntax_.kind(target) != Kind::kTuple && syntax_.kind(target) != Kind::kList) return bind_target(scope, target, iterable);
  if (syntax_.kind(iterable) == Kind::kTuple || syntax_.kind(iterable) == Kind::kList) {
    for (NodeId element = syntax_.node(iterable).first_child; element != kNoNode; element = syntax_.node(element).next_sibling)
      bind_target(scope, target, element);
    return;
  }
  if (syntax_.kind(iterable) != Kind::kCall) return;
  NodeId function = syntax_.child(iterable, Field::kFunction);
  if (syntax_.kind(function) != Kind::kIdentifier && syntax_.kind(function) != Kind::kAttribute) return;
  NodeId part = syntax_.node(target).first_child;
  std::string_view name = syntax_.name(function);
  if (name == "enumerate" && part != kNoNode) {
    part = syntax_.node(part).next_sibling;
  } else if (name == "items" && part != kNoNode) {  // for name, device in devices.items(): the values
    part = syntax_.node(part).next_sibling;
    return part == kNoNode ? void() : bind_target(scope, part, iterable);
  } else if (name != "zip" && name != "product") {
    return;
  }
  NodeId argument = syntax_.node(syntax_.child(iterable, Field::kArguments)).first_child;
  for (; part != kNoNode && argument != kNoNode; part = syntax_.node(part).next_sibling) {
    if (syntax_.kind(argument) == Kind::kStar || syntax_.kind(argument) == Kind::kKeywordArgument) return;
    bind_loop(scope, part, argument);
    argument = syntax_.node(argument).next_sibling;
  }
}

void Scopes::bind_module(Symbol name, NodeId scope, NodeId node, std::string module) {
  is_import_[name] = true;
  bind(name, {Binding::Kind::kImport, scope, node, kNoNode, -1, static_cast<std::uint32_t>(modules_.size())});
  imported_names_.push_back(name);
  modules_.push_back(std::move(module));
}

void Scopes::bind_import(NodeId statement, NodeId scope) {
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (syntax_.kind(part) == Kind::kDottedName) {
      // `import torch.cuda` binds `torch`.
      Symbol head = syntax_.node(part).symbol;
      if (head != kNoSymbol) bind_module(head, scope, part, std::string(syntax_.symbols().text(head)));
    } else if (syntax_.kind(part) == Kind::kAliasedImport) {
      NodeId name = syntax_.child(part, Field::kName);
      NodeId alias = syntax_.child(part, Field::kAlias);
      if (name == kNoNode || alias == kNoNode) continue;
      bind_module(syntax_.node(alias).symbol, scope, name, without_blanks(syntax_.text(name)));
    }
  }
}

void Scopes::bind_import_from(NodeId statement, NodeId scope) {
  NodeId module = syntax_.child(statement, Field::kModuleName);
  if (syntax_.kind(module) != Kind::kDottedName && syntax_.kind(module) != Kind::kRelativeImport) return;
  std::string prefix = without_blanks(syntax_.text(module));
  if (syntax_.child(statement, Kind::kWildcardImport) != kNoNode) star_modules_.push_back(prefix);
  if (prefix.empty() || prefix.back() != '.') prefix += '.';
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (part == module) continue;
    NodeId name = part;
    NodeId bound = part;
    if (syntax_.kind(part) == Kind::kAliasedImport) {
      name = syntax_.child(part, Field::kName);
      bound = syntax_.child(part, Field::kAlias);
    }
    if (syntax_.kind(name) != Kind::kDottedName || bound == kNoNode) continue;
    bind_module(syntax_.node(bound).symbol, scope, name, prefix + without_blanks(syntax_.text(name)));
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
    }
    if (syntax_.kind(name) == Kind::kIdentifier)
      bind(syntax_.node(name).symbol, {Binding::Kind::kParameter, function, value, function, position, 0});
    ++position;
  }
}

std::span<const Binding> Scopes::find(NodeId node, Symbol name) const {
  std::span<const Binding> all = bindings_.under(name);
  if (all.empty()) return {};
  bool is_first = true;
  for (NodeId scope = scope_of_node_[node];; scope = scope_of_node_[scope]) {
    // Names of a class body are not seen from the methods inside it.
    if (is_first || !is_class(scope)) {
      auto begin = std::lower_bound(all.begin(), all.end(), scope,
                                    [](const Binding& binding, NodeId wanted) { return binding.scope < wanted; });
      auto end =
          std::upper_bound(begin, all.end(), scope, [](NodeId wanted, const Binding& binding) { return wanted < binding.scope; });
      if (begin != end) return {begin, end};
    }
    if (scope == 0) return {};
    is_first = false;
  }
}

std::vector<NodeId> Scopes::returns_of(NodeId function) const {
  std::vector<NodeId> values;
  auto begin = std::lower_bound(returns_.begin(), returns_.end(), function,
                                [](const auto& entry, NodeId wanted) { return entry.first < wanted; });
  for (auto found = begin; found != returns_.end() && found->first == function; ++found) values.push_back(found->second);
  return values;
}

std::vector<NodeId> Scopes::method_returns(Symbol name) const {
  std::vector<NodeId> returns;
  for (NodeId method : methods_.under(name)) {
    std::vector<NodeId> own = returns_of(method);
    returns.insert(returns.end(), own.begin(), own.end());
  }
  return returns;
}

NodeId Scopes::head_of(NodeId expression) const {
  while (syntax_.kind(expression) == Kind::kAttribute) expression = syntax_.child(expression, Field::kObject);
  return syntax_.kind(expression) == Kind::kIdentifier ? expression : kNoNode;
}

std::string Scopes::written_path(NodeId expression) const {
  std::vector<std::string_view> names;
  while (syntax_.kind(expression) == Kind::kAttribute) {
    names.push_back(syntax_.name(expression));
    expression = syntax_.child(expression, Field::kObject);
  }
  if (syntax_.kind(expression) != Kind::kIdentifier) return "";
  std::string path(syntax_.name(expression));
  for (auto name = names.rbegin(); name != names.rend(); ++name) path.append(1, '.').append(*name);
  return path;
}

bool Scopes::may_be_imported(NodeId expression) const {
  NodeId head = head_of(expression);
  return head != kNoNode && is_import_[syntax_.node(head).symbol];
}

std::string Scopes::dotted_path(NodeId expression) const {
  NodeId head = head_of(expression);
  if (head == kNoNode || !is_import_[syntax_.node(head).symbol]) return "";
  std::span<const Binding> bindings = find(head, syntax_.node(head).symbol);
  if (bindings.empty() || bindings[0].kind != Binding::Kind::kImport) return "";
  return modules_[bindings[0].module] + written_path(expression).substr(syntax_.name(head).size());
}

}  // namespace starbridge::port::python
