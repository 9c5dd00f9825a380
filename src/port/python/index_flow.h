// IndexFlow: whether an expression is a number: then at a device position it means a CUDA card, and another card must be named.
// One object per file; one thread.
#pragma once

#include <set>
#include <string>

#include "port/python/scopes.h"

namespace starbridge::port::python {

class IndexFlow {
 public:
  IndexFlow(const Syntax& syntax, const Scopes& scopes) : syntax_(syntax), scopes_(scopes) {}

  // parser.add_argument("--local_rank", type=int)
  void visit_option(NodeId call);
  // torch.multiprocessing.spawn(f, ...): the first argument of f is a number.
  void visit_spawn(NodeId call);
  // True when every value the expression may have in this file is a number. Cheap for what is no name.
  bool is_number(NodeId expression) const { return is_number(expression, 0); }
  // Whether it may stand inside "{...}" of a format string as it is written.
  bool can_be_formatted(NodeId expression) const;

 private:
  bool is_number(NodeId expression, int depth) const;
  bool is_number_call(NodeId call) const;
  bool is_number_attribute(NodeId expression, int depth) const;
  bool holds_options(NodeId object) const;
  bool is_counted(NodeId name) const;
  bool is_number_parameter(const Binding& parameter) const;

  static constexpr int kDepthMax = 8;
  const Syntax& syntax_;
  const Scopes& scopes_;
  std::set<std::string, std::less<>> number_options_;
  std::set<std::string, std::less<>> other_options_;
  std::set<std::string, std::less<>> spawned_;  // functions by name
};

}  // namespace starbridge::port::python
