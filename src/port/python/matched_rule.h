// MatchedRule: where a declared rule fits the code of a file, without regard to a target. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "port/declared/rule.h"

namespace starbridge::port::python {

using Span = std::pair<std::uint32_t, std::uint32_t>;  // [begin, end) in bytes

struct MatchedRule {
  struct Argument {
    std::string keyword;  // empty: by position
    int position = -1;
    Span span;  // with its keyword
    Span value;
    bool is_unpacked = false;   // *x, **x
    bool is_generator = false;  // f(x for x in y)
  };
  const DeclaredRule* rule = nullptr;
  Span whole;           // the expression
  Span function;        // the name that is called; of other names the whole
  Span brackets{0, 0};  // the argument list
  Span assigned{0, 0};  // the left side of `x = whole`
  std::vector<Argument> arguments;
  bool has_needed = true;   // what the edit names first is imported here under that name
  bool is_sure = true;      // the name has one meaning, of an import that nothing guards
  bool is_guarded = false;  // its import stands in a try statement or under a test
  bool is_decorator = false;
  int head_import = -1;  // in Sites::head_imports
};

// An import whose name goes when every use of it is rewritten.
struct HeadImport {
  std::string name;  // as bound
  Span statement;
  Span lines;               // the whole lines of the statement; {0, 0}: others share them
  std::vector<Span> items;  // all names it imports
  std::size_t item = 0;     // this one
  std::size_t use_count = 0;
};

}  // namespace starbridge::port::python
