#include "port/python/flow.h"

#include <algorithm>

#include "base/text.h"

namespace starbridge::port::python {

Literal read_literal(const Syntax& syntax, NodeId string) {
  const Node& node = syntax.node(string);
  std::string_view written = syntax.text(string);
  std::size_t prefix = 0;
  while (prefix < written.size() && written[prefix] != '"' && written[prefix] != '\'') ++prefix;
  std::string_view quoted = written.substr(prefix);
  std::size_t quotes = quoted.size() >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0] ? 3 : 1;
  if (quoted.size() < 2 * quotes) return {};
  Literal literal;
  literal.prefix = written.substr(0, prefix);
  literal.begin = node.begin + static_cast<std::uint32_t>(prefix + quotes);
  std::uint32_t end = node.end - static_cast<std::uint32_t>(quotes);
  if (NodeId field = syntax.child(string, Kind::kInterpolation); field != kNoNode) {
    literal.has_fields = true;
    end = syntax.node(field).begin;
  }
  literal.text = written.substr(literal.begin - node.begin, end - literal.begin);
  return literal;
}

NodeId argument_of(const Syntax& syntax, NodeId call, std::string_view keyword, int position) {
  NodeId arguments = syntax.child(call, Field::kArguments);
  if (syntax.kind(arguments) != Kind::kArgumentList) return kNoNode;
  int index = 0;
  NodeId positional = kNoNode;
  for (NodeId argument = syntax.node(arguments).first_child; argument != kNoNode; argument = syntax.node(argument).next_sibling) {
    if (syntax.kind(argument) == Kind::kKeywordArgument) {
      if (syntax.name(argument) == keyword) return syntax.child(argument, Field::kValue);
      continue;
    }
    if (index == position) positional = argument;
    ++index;
  }
  return positional;
}

bool Flow::was_reached(NodeId expression) const { return visited_.count((std::uint64_t{expression} << 1) | 0U) > 0; }

void Flow::reach(NodeId expression, TextRole role) { follow(expression, role, 0); }

void Flow::follow_children(NodeId expression, TextRole role, int depth) {
  for (NodeId child = syntax_.node(expression).first_child; child != kNoNode; child = syntax_.node(child).next_sibling) {
    follow(child, role, depth);
  }
}

void Flow::follow(NodeId expression, TextRole role, int depth) {
  if (expression == kNoNode || depth > kDepthMax) return;
  if (!visited_.insert((std::uint64_t{expression} << 1) | (role == TextRole::kDevice ? 0U : 1U)).second) return;
  switch (syntax_.kind(expression)) {
    case Kind::kString:
      return report_(expression, role);
    case Kind::kConcatenatedString:
      return follow(syntax_.node(expression).first_child, role, depth + 1);
    case Kind::kIdentifier:
      return follow_identifier(expression, role, depth + 1);
    case Kind::kAttribute:
      return follow_attribute(expression, role, depth + 1);
    case Kind::kCall:
      return follow_call(expression, role, depth + 1);
    case Kind::kSubscript:
      return follow_subscript(expression, role, depth + 1);
    case Kind::kConditional: {
      // a if condition else b: the condition in the middle is not followed.
      NodeId first = syntax_.node(expression).first_child;
      NodeId condition = first == kNoNode ? kNoNode : syntax_.node(first).next_sibling;
      NodeId last = condition == kNoNode ? kNoNode : syntax_.node(condition).next_sibling;
      follow(first, role, depth + 1);
      return follow(last, role, depth + 1);
    }
    case Kind::kBinary: {  // "cuda:" + str(i), "cuda:%d" % i: the text is on the left; of lists both sides count
      NodeId left = syntax_.child(expression, Field::kLeft);
      NodeId right = syntax_.child(expression, Field::kRight);
      bool is_list = syntax_.kind(left) == Kind::kList || syntax_.kind(left) == Kind::kTuple;
      bool adds_list = syntax_.kind(right) == Kind::kList || syntax_.kind(right) == Kind::kTuple ||
                       syntax_.kind(right) == Kind::kParenthesized;
      follow(left, role, depth + 1);
      return is_list || adds_list ? follow(right, role, depth + 1) : void();
    }
    case Kind::kComprehension:
    case Kind::kGenerator:  // the first child is the element
      return follow(syntax_.node(expression).first_child, role, depth + 1);
    case Kind::kNamedExpression:
    case Kind::kPair:
      return follow(syntax_.child(expression, Field::kValue), role, depth + 1);
    case Kind::kBoolean:
    case Kind::kParenthesized:
    case Kind::kTuple:
    case Kind::kList:
    case Kind::kSet:
    case Kind::kAwait:
      return follow_children(expression, role, depth + 1);
    case Kind::kDictionary:  // map_location={"cuda:0": "cuda:1"}: keys and values name devices
      for (NodeId pair = syntax_.node(expression).first_child; pair != kNoNode; pair = syntax_.node(pair).next_sibling) {
        follow(syntax_.child(pair, Field::kKey), role, depth + 1);
        follow(syntax_.child(pair, Field::kValue), role, depth + 1);
      }
      return;
    default:
      return;
  }
}

bool Flow::is_first_visit(Group group, const void* values, TextRole role, int depth) {
  if (depth > kDepthMax) return false;  // the values would not be followed, and may be later
  // Groups are arrays of words of four bytes: four times their address leaves the low four bits free.
  std::uint64_t key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(values)) * 4;
  key += static_cast<std::uint64_t>(group) * 2 + (role == TextRole::kDevice ? 0 : 1);
  return visited_groups_.insert(key).second;
}

std::string Flow::foreign_path(NodeId expression) const {
  std::string path = scopes_.dotted_path(expression);
  bool is_torch = path == "torch" || path.rfind("torch.", 0) == 0 || path.rfind("os.", 0) == 0;
  return is_torch ? "" : path;
}

void Flow::follow_identifier(NodeId expression, TextRole role, int depth) {
  Symbol name = syntax_.node(expression).symbol;
  if (role == TextRole::kDevice) device_names_.insert(std::string(syntax_.name(expression)));
  std::span<const Binding> bindings = scopes_.find(expression, name);
  if (bindings.empty()) demand_of_stars(Demand::Kind::kImported, syntax_.name(expression), role);
  if (std::string path = foreign_path(expression); !path.empty()) demand(Demand::Kind::kImported, std::move(path), role);
  if (bindings.empty() || !is_first_visit(Group::kBindings, bindings.data(), role, depth)) return;
  for (const Binding& binding : bindings) {
    if (binding.kind == Binding::Kind::kValue) follow(binding.node, role, depth);
    if (binding.kind == Binding::Kind::kParameter) follow_parameter(binding, syntax_.name(expression), role, depth);
  }
  follow_added(expression, bindings, role, depth);
}

// devices.append("cuda"), devices.extend(...), of the same name in the same scope.
void Flow::follow_added(NodeId container, std::span<const Binding> bindings, TextRole role, int depth) {
  if (!is_first_visit(Group::kAdded, bindings.data(), role, depth)) return;
  for (std::string_view method : {"append", "extend", "add", "appendleft", "insert"}) {
    Symbol symbol = syntax_.symbols().find(method);
    if (symbol == kNoSymbol) continue;
    for (NodeId call : scopes_.calls_of(symbol)) {
      NodeId function = syntax_.child(call, Field::kFunction);
      NodeId object = syntax_.kind(function) == Kind::kAttribute ? syntax_.child(function, Field::kObject) : kNoNode;
      if (syntax_.kind(object) != Kind::kIdentifier || syntax_.node(object).symbol != syntax_.node(container).symbol) continue;
      if (scopes_.find(object, syntax_.node(object).symbol).data() != bindings.data()) continue;
      follow(argument_of(syntax_, call, "", method == "insert" ? 1 : 0), role, depth);
    }
  }
}

// The values of a dictionary, of which .values() and .items() are loops.
void Flow::follow_entries(NodeId object, TextRole role, int depth) {
  auto follow_values = [&](NodeId dictionary) {
    if (syntax_.kind(dictionary) != Kind::kDictionary) return;
    for (NodeId pair = syntax_.node(dictionary).first_child; pair != kNoNode; pair = syntax_.node(pair).next_sibling)
      follow(syntax_.child(pair, Field::kValue), role, depth);
  };
  follow_values(object);
  if (syntax_.kind(object) != Kind::kIdentifier) return;
  std::span<const Binding> bindings = scopes_.find(object, syntax_.node(object).symbol);
  if (bindings.empty() || !is_first_visit(Group::kEntries, bindings.data(), role, depth)) return;
  for (const Binding& binding : bindings) {
    if (binding.kind == Binding::Kind::kValue) follow_values(binding.node);
  }
}

void Flow::follow_parameter(const Binding& parameter, std::string_view name, TextRole role, int depth) {
  follow(parameter.node, role, depth);
  if (syntax_.kind(parameter.owner) != Kind::kFunction) return;
  NodeId called = syntax_.child(parameter.owner, Field::kName);
  NodeId owner_parent = syntax_.node(parameter.owner).parent;
  bool is_method = false;
  // A constructor is called by the name of its class.
  bool is_constructor = syntax_.text(called) == "__init__";
  if (is_constructor) {
    while (owner_parent != kNoNode && syntax_.kind(owner_parent) != Kind::kClass)
      owner_parent = syntax_.node(owner_parent).parent;
    if (owner_parent == kNoNode) return;
    called = syntax_.child(owner_parent, Field::kName);
  } else {
    NodeId scope = owner_parent;
    while (scope != kNoNode && syntax_.kind(scope) != Kind::kClass && syntax_.kind(scope) != Kind::kFunction)
      scope = syntax_.node(scope).parent;
    is_method = syntax_.kind(scope) == Kind::kClass;
  }
  if (called == kNoNode) return;
  follow_parametrization(parameter, name, role, depth);
  on_demand_({is_method ? Demand::Kind::kMethodArgument : Demand::Kind::kArgument, std::string(syntax_.text(called)),
              std::string(name), parameter.position - (is_method || is_constructor ? 1 : 0), role});
  for (NodeId call : scopes_.calls_of(syntax_.node(called).symbol)) {
    // Methods get their object without an argument.
    bool has_object = is_constructor || syntax_.kind(syntax_.child(call, Field::kFunction)) == Kind::kAttribute;
    follow(argument_of(syntax_, call, name, parameter.position - (has_object ? 1 : 0)), role, depth);
  }
}

// @pytest.mark.parametrize("device", ["cpu", "cuda"]) and ("name, device", [("a", "cuda"), pytest.param("b", "cpu")]), on the
// function or on its class.
void Flow::follow_parametrization(const Binding& parameter, std::string_view name, TextRole role, int depth) {
  NodeId function = parameter.owner;
  for (NodeId owner = function; owner != kNoNode; owner = syntax_.node(owner).parent) {
    if (syntax_.kind(owner) != Kind::kFunction && syntax_.kind(owner) != Kind::kClass) continue;
    if (owner != function && syntax_.kind(owner) == Kind::kFunction) return;
    NodeId decorated = syntax_.node(owner).parent;
    if (syntax_.kind(decorated) != Kind::kStatement && syntax_.kind(decorated) != Kind::kOther) continue;
    for (NodeId call : decorators_of(owner)) {
      std::string_view mark = mark_of(call);
      if (mark == "parametrize")
        follow_cases(argument_of(syntax_, call, "argnames", 0), argument_of(syntax_, call, "argvalues", 1), name, role, depth);
      if (mark == "expand" && owner == function)
        follow_rows(argument_of(syntax_, call, "input", 0), parameter.position - 1, role, depth);
    }
  }
  bool is_asked_by_pytest = syntax_.text(syntax_.child(function, Field::kName)).substr(0, 4) == "test" || is_fixture(function);
  if (is_asked_by_pytest && !follow_fixture(name, role, depth)) demand(Demand::Kind::kFixture, std::string(name), role);
}

bool Flow::is_fixture(NodeId function) const {
  std::vector<NodeId> decorators = decorators_of(function);
  return std::any_of(decorators.begin(), decorators.end(), [&](NodeId each) { return mark_of(each) == "fixture"; });
}

// Decorators of a function or class that are calls or names.
std::vector<NodeId> Flow::decorators_of(NodeId owner) const {
  std::vector<NodeId> found;
  NodeId decorated = syntax_.node(owner).parent;
  if (syntax_.kind(decorated) != Kind::kStatement && syntax_.kind(decorated) != Kind::kOther) return found;
  for (NodeId part = syntax_.node(decorated).first_child; part != kNoNode && part != owner;
       part = syntax_.node(part).next_sibling)
    found.push_back(syntax_.kind(part) == Kind::kOther ? syntax_.node(part).first_child : part);
  return found;
}

// "parametrize" of pytest.mark.parametrize(...), "fixture" of @fixture.
std::string_view Flow::mark_of(NodeId decorator) const {
  NodeId mark = syntax_.kind(decorator) == Kind::kCall ? syntax_.child(decorator, Field::kFunction) : decorator;
  bool is_name = syntax_.kind(mark) == Kind::kAttribute || syntax_.kind(mark) == Kind::kIdentifier;
  return is_name ? syntax_.name(mark) : std::string_view();
}

// @parameterized.expand([("name", "cuda"), ...]) or, of a test with one argument, ["cpu", "cuda"].
void Flow::follow_rows(NodeId rows, int index, TextRole role, int depth) {
  if ((syntax_.kind(rows) != Kind::kTuple && syntax_.kind(rows) != Kind::kList) || index < 0) return;
  for (NodeId row = syntax_.node(rows).first_child; row != kNoNode; row = syntax_.node(row).next_sibling) {
    bool is_row = syntax_.kind(row) == Kind::kTuple || syntax_.kind(row) == Kind::kList;
    NodeId element = is_row ? syntax_.node(row).first_child : index == 0 ? row : kNoNode;
    for (int before = index; is_row && before > 0 && element != kNoNode; --before) element = syntax_.node(element).next_sibling;
    follow(element, role, depth);
  }
}

// A test's argument is what the fixture of its name gives.
bool Flow::follow_fixture(std::string_view name, TextRole role, int depth) {
  bool is_found = false;
  for (const Binding& binding : module_bindings(name)) {
    if (binding.kind != Binding::Kind::kFunction) continue;
    if (!is_fixture(binding.node)) continue;
    is_found = true;
    if (!is_first_visit(Group::kFixtures, &binding, role, depth)) continue;
    for (NodeId value : scopes_.returns_of(binding.node)) follow(value, role, depth);
    for (NodeId id = binding.node; id != kNoNode && syntax_.node(id).begin < syntax_.node(binding.node).end;
         id = syntax_.next(id)) {
      if (syntax_.kind(id) == Kind::kYield) follow(syntax_.node(id).first_child, role, depth);
    }
  }
  return is_found;
}

// request.param in a fixture: one of @pytest.fixture(params=[...]).
void Flow::follow_request(NodeId attribute, TextRole role, int depth) {
  NodeId object = syntax_.child(attribute, Field::kObject);
  if (syntax_.name(attribute) != "param" || syntax_.kind(object) != Kind::kIdentifier) return;
  for (const Binding& binding : scopes_.find(object, syntax_.node(object).symbol)) {
    if (binding.kind != Binding::Kind::kParameter || syntax_.kind(binding.owner) != Kind::kFunction) continue;
    for (NodeId decorator : decorators_of(binding.owner)) {
      if (mark_of(decorator) == "fixture" && syntax_.kind(decorator) == Kind::kCall)
        follow(argument_of(syntax_, decorator, "params", -1), role, depth);
    }
  }
}

void Flow::follow_cases(NodeId names, NodeId values, std::string_view wanted, TextRole role, int depth) {
  std::vector<std::string_view> list;
  if (syntax_.kind(names) == Kind::kString) {
    std::string_view text = read_literal(syntax_, names).text;
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = std::min(text.find(',', begin), text.size());
      list.push_back(base::trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  } else if (syntax_.kind(names) == Kind::kTuple || syntax_.kind(names) == Kind::kList) {
    for (NodeId each = syntax_.node(names).first_child; each != kNoNode; each = syntax_.node(each).next_sibling)
      list.push_back(syntax_.kind(each) == Kind::kString ? read_literal(syntax_, each).text : std::string_view());
  }
  auto found = std::find(list.begin(), list.end(), wanted);
  if (found == list.end()) return;
  if (list.size() == 1) return follow(values, role, depth);
  if (syntax_.kind(values) != Kind::kTuple && syntax_.kind(values) != Kind::kList) return;
  for (NodeId one = syntax_.node(values).first_child; one != kNoNode; one = syntax_.node(one).next_sibling) {
    NodeId element = syntax_.kind(one) == Kind::kCall ? syntax_.child(one, Field::kArguments) : one;
    element = element == kNoNode ? kNoNode : syntax_.node(element).first_child;
    for (auto index = found - list.begin(); index > 0 && element != kNoNode; --index)
      element = syntax_.node(element).next_sibling;
    follow(element, role, depth);
  }
}

void Flow::follow_attribute(NodeId expression, TextRole role, int depth) {
  if (std::string path = scopes_.dotted_path(expression); !path.empty()) {
    if (std::string foreign = foreign_path(expression); !foreign.empty())
      demand(Demand::Kind::kImported, std::move(foreign), role);
    return;
  }
  if (role == TextRole::kDevice) device_names_.insert(scopes_.written_path(expression));
  follow_request(expression, role, depth);
  demand(Demand::Kind::kAttribute, std::string(syntax_.name(expression)), role);
  std::span<const NodeId> values = scopes_.attribute_values(syntax_.node(expression).symbol);
  if (values.empty() || !is_first_visit(Group::kAttributes, values.data(), role, depth)) return;
  for (NodeId value : values) follow(value, role, depth);
}

void Flow::follow_call(NodeId call, TextRole role, int depth) {
  NodeId function = syntax_.child(call, Field::kFunction);
  std::string path = scopes_.dotted_path(function);
  if (path == "torch.device") return follow(argument_of(syntax_, call, "type", 0), role, depth);
  if (path == "pytest.param") return follow(argument_of(syntax_, call, "", 0), role, depth);
  if (path == "os.getenv") return follow(argument_of(syntax_, call, "default", 1), role, depth);
  if (path == "os.environ.get" || path == "os.environ.setdefault")
    return follow(argument_of(syntax_, call, "default", 1), role, depth);
  if (std::string foreign = foreign_path(function); !foreign.empty())
    return demand(Demand::Kind::kReturned, std::move(foreign), role);
  if (syntax_.kind(function) == Kind::kIdentifier) {
    std::string_view name = syntax_.name(function);
    if (name == "str" || name == "repr") return follow(argument_of(syntax_, call, "object", 0), role, depth);
    if (name == "getattr") return follow(argument_of(syntax_, call, "", 2), role, depth);
    if (name == "list" || name == "tuple" || name == "set" || name == "sorted" || name == "reversed" || name == "iter")
      return follow(argument_of(syntax_, call, "", 0), role, depth);
    std::span<const Binding> bindings = scopes_.find(function, syntax_.node(function).symbol);
    if (bindings.empty() || !is_first_visit(Group::kReturns, bindings.data(), role, depth)) return;
    for (const Binding& binding : bindings) {
      if (binding.kind != Binding::Kind::kFunction) continue;
      for (NodeId value : scopes_.returns_of(binding.node)) follow(value, role, depth);
    }
    return;
  }
  if (syntax_.kind(function) != Kind::kAttribute) return;
  NodeId object = syntax_.child(function, Field::kObject);
  std::string_view method = syntax_.name(function);
  if (method == "format" || method == "lower" || method == "strip") return follow(object, role, depth);
  if (method == "get" || method == "pop" || method == "setdefault") {
    NodeId key = argument_of(syntax_, call, "key", 0);
    if (syntax_.kind(key) == Kind::kString) demand(Demand::Kind::kKey, std::string(read_literal(syntax_, key).text), role);
    return follow(argument_of(syntax_, call, "default", 1), role, depth);
  }
  if (method == "values" || method == "items") return follow_entries(object, role, depth);
  demand(Demand::Kind::kMethodReturned, std::string(method), role);
  // Methods of classes of this file, by name.
  if (!scopes_.defines_method(syntax_.node(function).symbol)) return;
  if (!is_first_visit(Group::kMethods, scopes_.methods_of(syntax_.node(function).symbol).data(), role, depth)) return;
  for (NodeId value : scopes_.method_returns(syntax_.node(function).symbol)) follow(value, role, depth);
}

void Flow::follow_subscript(NodeId expression, TextRole role, int depth) {
  NodeId object = syntax_.child(expression, Field::kValue);
  NodeId key = syntax_.child(expression, Field::kSubscript);
  if (syntax_.kind(key) == Kind::kString) demand(Demand::Kind::kKey, std::string(read_literal(syntax_, key).text), role);
  if (syntax_.kind(object) != Kind::kIdentifier) return;
  std::string_view wanted = syntax_.kind(key) == Kind::kString ? read_literal(syntax_, key).text : std::string_view();
  for (const Binding& binding : scopes_.find(object, syntax_.node(object).symbol)) {
    if (binding.kind != Binding::Kind::kValue) continue;
    Kind kind = syntax_.kind(binding.node);
    if (kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kComprehension) {
      follow(binding.node, role, depth);
      follow_added(object, scopes_.find(object, syntax_.node(object).symbol), role, depth);
    }
    if (syntax_.kind(binding.node) != Kind::kDictionary) continue;
    // {"cuda": "nccl", "cpu": "gloo"}[device.type]: any of the values.
    if (wanted.empty()) {
      follow_entries(object, role, depth);
      continue;
    }
    for (NodeId pair = syntax_.node(binding.node).first_child; pair != kNoNode; pair = syntax_.node(pair).next_sibling) {
      NodeId pair_key = syntax_.child(pair, Field::kKey);
      if (syntax_.kind(pair_key) == Kind::kString && read_literal(syntax_, pair_key).text == wanted) {
        follow(syntax_.child(pair, Field::kValue), role, depth);
      }
    }
  }
}

void Flow::follow_keys(NodeId dictionary) {
  if (syntax_.kind(dictionary) == Kind::kDictionary) {
    for (NodeId pair = syntax_.node(dictionary).first_child; pair != kNoNode; pair = syntax_.node(pair).next_sibling)
      follow(syntax_.child(pair, Field::kKey), TextRole::kDevice, 0);
    return;
  }
  if (syntax_.kind(dictionary) != Kind::kCall) return;
  NodeId function = syntax_.child(dictionary, Field::kFunction);
  bool is_dict = syntax_.kind(function) == Kind::kIdentifier && syntax_.name(function) == "dict";
  if (!is_dict || !scopes_.find(function, syntax_.node(function).symbol).empty()) return;  // the project's own function
  NodeId arguments = syntax_.child(dictionary, Field::kArguments);
  if (syntax_.kind(arguments) != Kind::kArgumentList) return;
  for (NodeId each = syntax_.node(arguments).first_child; each != kNoNode; each = syntax_.node(each).next_sibling) {
    bool is_key = syntax_.kind(each) == Kind::kKeywordArgument;
    if (is_key && visited_.insert((std::uint64_t{each} << 1)).second) report_(each, TextRole::kDevice);
  }
}

void Flow::reach_keys(NodeId table) {
  follow_keys(table);
  if (std::string path = foreign_path(table); !path.empty()) demand(Demand::Kind::kImportedKeys, std::move(path), TextRole::kDevice);
  if (syntax_.kind(table) == Kind::kIdentifier) {
    std::span<const Binding> bindings = scopes_.find(table, syntax_.node(table).symbol);
    if (bindings.empty()) demand_of_stars(Demand::Kind::kImportedKeys, syntax_.name(table), TextRole::kDevice);
    for (const Binding& binding : bindings) {
      if (binding.kind == Binding::Kind::kValue) follow_keys(binding.node);
    }
  } else if (syntax_.kind(table) == Kind::kAttribute) {
    for (NodeId value : scopes_.attribute_values(syntax_.node(table).symbol)) follow_keys(value);
  }
}

void Flow::reach_pattern(NodeId pattern) {
  if (syntax_.kind(pattern) == Kind::kString) return follow(pattern, TextRole::kDevice, 0);
  if (syntax_.kind(pattern) != Kind::kOther) return;
  for (NodeId part = syntax_.node(pattern).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
    reach_pattern(part);
}

std::span<const Binding> Flow::module_bindings(std::string_view name) const {
  Symbol symbol = syntax_.symbols().find(name);
  return symbol == kNoSymbol ? std::span<const Binding>() : scopes_.find(0, symbol);
}

// A name the module does not bind may come with `from module import *`.
void Flow::demand_of_stars(Demand::Kind kind, std::string_view name, TextRole role) {
  if (scopes_.star_modules().empty() || !module_bindings(name).empty()) return;
  for (const std::string& module : scopes_.star_modules()) {
    demand(kind, module + (module.back() == '.' ? "" : ".") + std::string(name), role);
  }
}

void Flow::reach_name(std::string_view name, TextRole role) {
  if (role == TextRole::kDevice) device_names_.insert(std::string(name));
  demand_of_stars(Demand::Kind::kImported, name, role);
  for (const Binding& binding : module_bindings(name)) {
    if (binding.kind == Binding::Kind::kValue) follow(binding.node, role, 0);
    if (binding.kind == Binding::Kind::kImport) demand(Demand::Kind::kImported, scopes_.module(binding), role);
  }
}

void Flow::reach_name_keys(std::string_view name) {
  demand_of_stars(Demand::Kind::kImportedKeys, name, TextRole::kDevice);
  for (const Binding& binding : module_bindings(name)) {
    if (binding.kind == Binding::Kind::kValue) follow_keys(binding.node);
    if (binding.kind == Binding::Kind::kImport) demand(Demand::Kind::kImportedKeys, scopes_.module(binding), TextRole::kDevice);
  }
}

void Flow::reach_returned(std::string_view name, TextRole role) {
  demand_of_stars(Demand::Kind::kReturned, name, role);
  for (const Binding& binding : module_bindings(name)) {
    if (binding.kind == Binding::Kind::kImport) demand(Demand::Kind::kReturned, scopes_.module(binding), role);
    if (binding.kind != Binding::Kind::kFunction) continue;
    for (NodeId value : scopes_.returns_of(binding.node)) follow(value, role, 0);
  }
}

void Flow::reach_method_returned(std::string_view name, TextRole role) {
  Symbol symbol = syntax_.symbols().find(name);
  if (symbol == kNoSymbol) return;
  for (NodeId value : scopes_.method_returns(symbol)) follow(value, role, 0);
}

void Flow::reach_attribute(std::string_view name, TextRole role) {
  if (role == TextRole::kDevice) note_device_attribute(std::string(name));
  Symbol symbol = syntax_.symbols().find(name);
  if (symbol == kNoSymbol) return;
  for (NodeId value : scopes_.attribute_values(symbol)) follow(value, role, 0);
}

void Flow::reach_argument(NodeId call, const Demand& demanded) {
  follow(argument_of(syntax_, call, demanded.parameter, demanded.position), demanded.role, 0);
}

}  // namespace starbridge::port::python
