// GrammarReader: the tree of a Python text by the tree-sitter grammar, which reads anything: Python 2, damage, names in any
// script. Ten times slower than the parser of this room, and the only place that knows tree-sitter's Python. One object per file,
// one thread.
#pragma once

#include <tree_sitter/api.h>

#include <string>

#include "port/python/syntax.h"

namespace starbridge::port::python {

class GrammarReader {
 public:
  GrammarReader(const std::string& source, Syntax& syntax) : source_(source), syntax_(syntax) { syntax_.source_ = source; }
  void run();

 private:
  void read(const TSTree* tree);
  bool take_name(NodeId parent, TSNode raw, bool is_attribute_name);
  Symbol intern(std::uint32_t begin, std::uint32_t end);

  const std::string& source_;
  Syntax& syntax_;
};

}  // namespace starbridge::port::python
