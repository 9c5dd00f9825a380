// Flow: follows an expression at a device position back to the texts it may come from, inside one file.
// One object per file; one thread.
#pragma once

#include <functional>
#include <unordered_set>

#include "port/python/scopes.h"

namespace starbridge::port::python {

// Which texts are wanted: "cuda"-like device texts or "nccl"-like collective backends.
enum class TextRole { kDevice, kCollective };

class Flow {
 public:
  // `report` is called once for every text literal that reaches a position of `role`; the node is a kString.
  using Report = std::function<void(NodeId string, TextRole role)>;
  Flow(const Syntax& syntax, const Scopes& scopes, Report report)
      : syntax_(syntax), scopes_(scopes), report_(std::move(report)) {}

  // Follows `expression`, which stands at a position of `role`, through names, attributes, parameters with their call sites,
  // returns, conditionals, containers, formatting and known getters with a default.
  void reach(NodeId expression, TextRole role);
  // True when the expression was followed as a device: comparisons with it are about devices.
  bool was_reached(NodeId expression) const;
  // Variables and attributes that were followed, by written path: "device", "self.device".
  bool is_device_name(std::string_view path) const { return device_names_.count(std::string(path)) > 0; }

 private:
  void follow(NodeId expression, TextRole role, int depth);
  void follow_identifier(NodeId expression, TextRole role, int depth);
  void follow_parameter(const Binding& parameter, std::string_view name, TextRole role, int depth);
  void follow_attribute(NodeId expression, TextRole role, int depth);
  void follow_call(NodeId call, TextRole role, int depth);
  void follow_subscript(NodeId expression, TextRole role, int depth);
  void follow_children(NodeId expression, TextRole role, int depth);
  // False when all values of a group (bindings of a name, values of an attribute) were followed before: files that use one name a
  // hundred thousand times would otherwise be walked ten thousand million times.
  enum class Group { kBindings, kReturns, kAttributes, kMethods };
  bool is_first_visit(Group group, const void* values, TextRole role, int depth);

  static constexpr int kDepthMax = 48;
  const Syntax& syntax_;
  const Scopes& scopes_;
  Report report_;
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
