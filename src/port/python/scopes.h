// Scopes: what each name of a Python file may stand for: imports, assigned expressions, parameters, functions, classes.
// Flow-insensitive: a name has all the values that are ever bound to it in its scope. Immutable after build; any thread.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/python/syntax.h"

namespace starbridge::port::python {

struct Binding {
  enum class Kind : std::uint8_t { kImport, kValue, kParameter, kFunction, kClass };
  Kind kind = Kind::kValue;
  NodeId scope = 0;          // the module, function, class or lambda that binds it
  NodeId node = kNoNode;     // kValue: the expression; kParameter: its default or kNoNode; kFunction, kClass: the definition;
                             // kImport: the identifier or dotted name in the import statement
  NodeId owner = kNoNode;    // kParameter: the function or lambda
  int position = -1;         // kParameter: index, counting self
  std::uint32_t module = 0;  // kImport: number of the module, see Scopes::module
};

// Values filed under numbers, kept in the order they came: one sorted array, made once.
template <class Value>
class Filed {
 public:
  void add(std::uint32_t key, Value value) { waiting_.emplace_back(key, std::move(value)); }
  // Whether a value was added under this number and not filed yet.
  bool is_waiting(std::uint32_t key) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& entry) { return entry.first == key; });
  }
  // Keys are below `key_count`.
  void file(std::size_t key_count) {
    starts_.assign(key_count + 1, 0);
    for (const auto& [key, value] : waiting_) ++starts_[key + 1];
    for (std::size_t key = 1; key < starts_.size(); ++key) starts_[key] += starts_[key - 1];
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    values_.resize(waiting_.size());
    for (auto& [key, value] : waiting_) values_[next[key]++] = std::move(value);
    waiting_.clear();
  }
  std::span<const Value> under(std::uint32_t key) const {
    if (key + std::size_t{1} >= starts_.size()) return {};
    return {values_.data() + starts_[key], starts_[key + 1] - starts_[key]};
  }
  std::span<Value> under(std::uint32_t key) { return {values_.data() + starts_[key], starts_[key + 1] - starts_[key]}; }

 private:
  std::vector<std::pair<std::uint32_t, Value>> waiting_;
  std::vector<std::uint32_t> starts_;
  std::vector<Value> values_;
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  // Bindings of a name as seen from `node`, innermost scope that binds it; empty when unknown (builtin, star import, global
  // elsewhere).
  std::span<const Binding> find(NodeId node, Symbol name) const;
  // Right-hand sides assigned to any attribute of this name: `x.name = value`, and class-level `name = value`.
  std::span<const NodeId> attribute_values(Symbol name) const { return attribute_values_.under(name); }
  // True when a class of this file defines a method of this name.
  bool defines_method(Symbol name) const { return !methods_of(name).empty(); }
  std::span<const NodeId> methods_of(Symbol name) const { return methods_.under(name); }
  // Return expressions of all methods of this name in this file.
  std::vector<NodeId> method_returns(Symbol name) const;
  // Calls of a function of this file by its bare or attribute name.
  std::span<const NodeId> calls_of(Symbol name) const { return calls_.under(name); }
  // Return expressions of a function definition.
  std::vector<NodeId> returns_of(NodeId function) const;

  // The dotted path an expression stands for through imports: "torch.cuda.amp.autocast" for `amp.autocast` after
  // `from torch.cuda import amp`. Empty when the head is not an import of this file.
  std::string dotted_path(NodeId expression) const;
  // The same for any chain, imported or not: "self.device", "args.local_rank". Empty when the head is no name.
  std::string written_path(NodeId expression) const;
  // Whether some import of the file binds this name, in whatever scope.
  bool is_import(Symbol name) const { return is_import_[name]; }
  // The path an import binding stands for: "torch.cuda.amp"; of the project's own relative imports with the dots,
  // "..config.DEVICE".
  const std::string& module(const Binding& import_binding) const { return modules_[import_binding.module]; }
  // Modules of `from module import *`.
  const std::vector<std::string>& star_modules() const { return star_modules_; }
  // What imports of the file stand for, and the names they bind, in the same order.
  const std::vector<std::string>& imported_paths() const { return modules_; }
  const std::vector<Symbol>& imported_names() const { return imported_names_; }
  // False when dotted_path is empty for sure; cheap.
  bool may_be_imported(NodeId expression) const;

 private:
  void visit(NodeId id);
  void bind_customary_names();
  void bind(Symbol name, Binding binding) { bindings_.add(name, binding); }
  void visit_loop(NodeId iterable, NodeId scope);
  void bind_loop(NodeId scope, NodeId target, NodeId iterable);
  void bind_target(NodeId scope, NodeId target, NodeId value);
  void bind_import(NodeId statement, NodeId scope);
  void bind_import_from(NodeId statement, NodeId scope);
  void bind_module(Symbol name, NodeId scope, NodeId node, std::string module);
  void bind_parameters(NodeId function);
  NodeId head_of(NodeId expression) const;
  bool is_class(NodeId scope) const { return syntax_.kind(scope) == Kind::kClass; }

  const Syntax& syntax_;
  std::vector<NodeId> scope_of_node_;               // index by node
  Filed<Binding> bindings_;                         // by name, then by scope
  Filed<NodeId> attribute_values_;                  // by name
  Filed<NodeId> calls_;                             // by name
  Filed<NodeId> methods_;                           // definitions by name
  std::vector<std::pair<NodeId, NodeId>> returns_;  // function, expression; by function
  std::vector<std::string> modules_;
  std::vector<std::string> star_modules_;
  std::vector<Symbol> imported_names_;  // as modules_
  std::vector<bool> is_import_;         // by symbol: some import binds it
};

}  // namespace starbridge::port::python
