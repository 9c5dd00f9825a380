// Constructs: calls that rename well and still fail or change on another chip. One object per file; one thread.
#pragma once

#include "port/python/index_flow.h"
#include "port/python/sites.h"

namespace starbridge::port::python {

class Constructs {
 public:
  Constructs(const Syntax& syntax, const Scopes& scopes, Sites& sites)
      : syntax_(syntax), indices_(syntax, scopes), sites_(sites) {}

  // `path`: the dotted path of the function through imports; empty for methods of objects.
  void visit_call(NodeId call, std::string_view path);
  // What is given for a parameter that is a device in another file.
  void visit_passed(NodeId value) { passed_.push_back(value); }
  // When all calls were visited.
  void finish();

 private:
  void add(SiteKind kind, Span span, std::string name);
  void add_construct(NodeId at, std::string rule) {
    add(SiteKind::kConstruct, {syntax_.node(at).begin, syntax_.node(at).end}, std::move(rule));
  }
  void visit_index(NodeId value);
  void visit_command(NodeId value);
  void visit_profiler_key(NodeId value);

  const Syntax& syntax_;
  IndexFlow indices_;
  std::vector<NodeId> waiting_;  // names at device positions that may be numbers
  std::vector<NodeId> passed_;
  Sites& sites_;
};

}  // namespace starbridge::port::python
