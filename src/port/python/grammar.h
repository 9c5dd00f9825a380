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
  // Recovery from damage may take time out of all proportion; then the text counts as damaged at `refused_at`.
  static constexpr std::uint64_t kMicrosecondsMax = 10'000'000;

  GrammarReader(const std::string& source, Syntax& syntax, std::size_t refused_at = 0)
      : source_(source), syntax_(syntax), refused_at_(refused_at) {
    syntax_.source_ = source;
  }
  void run();

 private:
  void read(const TSTree* tree);
  bool take_name(NodeId parent, TSNode raw, bool is_attribute_name);
  Symbol intern(std::uint32_t begin, std::uint32_t end);

  const std::string& source_;
  Syntax& syntax_;
  std::size_t refused_at_;
};

}  // namespace starbridge::port::python
