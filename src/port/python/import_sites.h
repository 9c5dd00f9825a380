// ImportSites: the import statements of a file as sites: of PyTorch, of plug-ins, of packages. One object per file; one thread.
#pragma once

#include "port/python/sites.h"

namespace starbridge::port::python {

class ImportSites {
 public:
  ImportSites(const Syntax& syntax, std::string_view source, Sites& sites) : syntax_(syntax), source_(source), sites_(sites) {}
  void visit_import(NodeId statement);
  void visit_import_from(NodeId statement);

 private:
  Span span_of(NodeId id) const { return {syntax_.node(id).begin, syntax_.node(id).end}; }
  void add(SiteKind kind, NodeId at, std::string name);
  void note_torch_import(NodeId statement, std::string_view module);
  void note_package(std::string_view module, NodeId at);
  bool is_guarded(NodeId statement) const;
  void note_plugin(NodeId statement);

  const Syntax& syntax_;
  std::string_view source_;
  Sites& sites_;
};

}  // namespace starbridge::port::python
