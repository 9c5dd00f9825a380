// Scopes: what each name of a Python file may stand for: imports, assigned expressions, parameters, functions, classes.
// Flow-insensitive: a name has all the values that are ever bound to it in its scope. Immutable after build; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "port/python/syntax.h"

namespace starbridge::port::python {

struct Binding {
  enum class Kind { kImport, kValue, kParameter, kFunction, kClass, kOpaque };
  Kind kind = Kind::kOpaque;
  std::string module;      // kImport: "torch.cuda"
  NodeId node = kNoNode;   // kValue: the expression; kParameter: its default or kNoNode; kFunction, kClass: the definition;
                           // kImport: the identifier or dotted name in the import statement
  NodeId owner = kNoNode;  // kParameter: the function or lambda
  int position = -1;       // kParameter: index, counting self
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  // Bindings of a name as seen from `node`, innermost scope that binds it; empty when unknown (builtin, star import, global
  // elsewhere).
  const std::vector<Binding>& find(NodeId node, std::string_view name) const;
  // Right-hand sides assigned to any attribute of this name: `x.name = value`, and class-level `name = value`.
  const std::vector<NodeId>& attribute_values(std::string_view name) const;
  // True when a class of this file defines a method of this name.
  bool defines_method(std::string_view name) const { return methods_.count(name) > 0; }
  // Return expressions of all methods of this name in this file.
  std::vector<NodeId> method_returns(std::string_view name) const;
  // Calls of a function of this file by its bare or attribute name.
  const std::vector<NodeId>& calls_of(std::string_view name) const;
  // Return expressions of a function definition.
  const std::vector<NodeId>& returns_of(NodeId function) const;

  // The dotted path an expression stands for through imports: "torch.cuda.amp.autocast" for `amp.autocast` after
  // `from torch.cuda import amp`. Empty when the head is not an import of this file.
  std::string dotted_path(NodeId expression) const;
  // The same for any chain, imported or not: "self.device", "args.local_rank". Empty when the head is no name.
  std::string written_path(NodeId expression) const;

 private:
  struct Scope {
    NodeId parent = kNoNode;  // enclosing scope's node; kNoNode for the module
    bool is_class = false;
    std::unordered_map<std::string_view, std::vector<Binding>> names;
  };

  void visit(NodeId id);
  void bind(NodeId scope, NodeId target, NodeId value);
  void bind_import(NodeId statement, NodeId scope);
  void bind_import_from(NodeId statement, NodeId scope);
  void bind_parameters(NodeId function);
  NodeId scope_of(NodeId node) const;

  const Syntax& syntax_;
  std::vector<NodeId> scope_of_node_;  // index by node
  std::unordered_map<NodeId, Scope> scopes_;
  std::unordered_map<std::string_view, std::vector<NodeId>> attribute_values_;
  std::unordered_map<std::string_view, std::vector<NodeId>> calls_;
  std::unordered_map<NodeId, std::vector<NodeId>> returns_;
  std::map<std::string_view, std::vector<NodeId>> methods_;  // definitions by name
};

}  // namespace starbridge::port::python
