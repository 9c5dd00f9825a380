// Flow: follows an expression at a device position back to the texts it may come from, inside one file.
// One object per file; one thread.
#pragma once

#include <functional>
#include <unordered_set>

#include "port/python/demand.h"
#include "port/python/scopes.h"

namespace starbridge::port::python {

class Flow {
 public:
  // `report` is called once for every text literal that reaches a position of `role`; the node is a kString, or the
  // kKeywordArgument of dict(cuda=...) whose name is a key.
  using Report = std::function<void(NodeId string, TextRole role)>;
  using OnDemand = std::function<void(Demand demand)>;
  Flow(const Syntax& syntax, const Scopes& scopes, Report report, OnDemand on_demand)
      : syntax_(syntax), scopes_(scopes), report_(std::move(report)), on_demand_(std::move(on_demand)) {}

  // Follows `expression`, which stands at a position of `role`, through names, attributes, parameters with their call sites,
  // returns, conditionals, containers, formatting and known getters with a default.
  void reach(NodeId expression, TextRole role);
  // Keys of the dictionary that `table` is: a device looks them up.
  void reach_keys(NodeId table);
  // Texts of a pattern that a device is matched with: "cuda", "cuda" | "xpu", {"device": "cuda"}.
  void reach_pattern(NodeId pattern);
  // True when the expression was followed as a device: comparisons with it are about devices.
  bool was_reached(NodeId expression) const;
  // Variables and attributes that were followed, by written path: "device", "self.device".
  bool is_device_name(std::string_view path) const { return device_names_.count(std::string(path)) > 0; }
  // Attributes of this name hold devices, whatever object they belong to.
  void note_device_attribute(const std::string& name) { device_attributes_.insert(name); }
  bool is_device_attribute(std::string_view name) const { return device_attributes_.count(std::string(name)) > 0; }

  // Answers to demands of other files.
  void reach_name(std::string_view name, TextRole role);      // a name of the module
  void reach_name_keys(std::string_view name);                // keys of a dictionary of the module
  void reach_returned(std::string_view name, TextRole role);  // a function of the module
  void reach_method_returned(std::string_view name, TextRole role);
  void reach_attribute(std::string_view name, TextRole role);
  void reach_fixture(std::string_view name, TextRole role) { follow_fixture(name, role, 0); }
  void reach_argument(NodeId call, const Demand& demand);

 private:
  std::span<const Binding> module_bindings(std::string_view name) const;
  void demand(Demand::Kind kind, std::string name, TextRole role) { on_demand_({kind, std::move(name), "", -1, role}); }
  void demand_of_stars(Demand::Kind kind, std::string_view name, TextRole role);
  // The path of an expression that an import of the file brought from outside PyTorch; empty when there is none.
  std::string foreign_path(NodeId expression) const;
  void follow(NodeId expression, TextRole role, int depth);
  void follow_identifier(NodeId expression, TextRole role, int depth);
  void follow_parameter(const Binding& parameter, std::string_view name, TextRole role, int depth);
  void follow_added(NodeId container, std::span<const Binding> bindings, TextRole role, int depth);
  void follow_entries(NodeId object, TextRole role, int depth);
  void follow_parametrization(const Binding& parameter, std::string_view name, TextRole role, int depth);
  std::vector<NodeId> decorators_of(NodeId owner) const;
  std::string_view mark_of(NodeId decorator) const;
  bool is_fixture(NodeId function) const;
  void follow_rows(NodeId rows, int index, TextRole role, int depth);
  bool follow_fixture(std::string_view name, TextRole role, int depth);  // false: the file has none of that name
  void follow_request(NodeId attribute, TextRole role, int depth);
  void follow_cases(NodeId names, NodeId values, std::string_view wanted, TextRole role, int depth);
  void follow_attribute(NodeId expression, TextRole role, int depth);
  void follow_call(NodeId call, TextRole role, int depth);
  void follow_subscript(NodeId expression, TextRole role, int depth);
  void follow_keys(NodeId dictionary);
  void follow_children(NodeId expression, TextRole role, int depth);
  // False when all values of a group (bindings of a name, values of an attribute) were followed before: files that use one name a
  // hundred thousand times would otherwise be walked ten thousand million times.
  enum class Group { kBindings, kReturns, kAttributes, kMethods, kAdded, kEntries, kFixtures };
  bool is_first_visit(Group group, const void* values, TextRole role, int depth);

  static constexpr int kDepthMax = 48;
  const Syntax& syntax_;
  const Scopes& scopes_;
  Report report_;
  OnDemand on_demand_;
  std::unordered_set<std::string> device_attributes_;
  std::unordered_set<std::uint64_t> visited_;  // (node, role)
  std::unordered_set<std::uint64_t> visited_groups_;
  std::unordered_set<std::string> device_names_;
};

// What stands between the quotes of a string literal; of a format string the text before its first field.
struct Literal {
  std::string_view prefix;  // "rb"
  std::string_view text;
  std::uint32_t begin = 0;  // byte offset of `text`
  bool has_fields = false;
};
Literal read_literal(const Syntax& syntax, NodeId string);
// The argument with this keyword, or the positional one at `position` (from 0; -1: keyword only); kNoNode when absent.
NodeId argument_of(const Syntax& syntax, NodeId call, std::string_view keyword, int position);

}  // namespace starbridge::port::python
