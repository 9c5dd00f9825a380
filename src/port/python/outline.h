// Outline: what a Python file imports, whether it is a program, and which of its functions and loops run once per step. Coarse on
// purpose: imports are told by lines alone, so that files nobody parses have them too, and functions go by their names. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "port/python/syntax.h"

namespace starbridge::port::python {

struct Outline {
  using Name = std::uint32_t;  // hash of a word
  // A function, or a loop whose turns are steps of training or inference.
  struct Part {
    Name name = 0;  // 0: a loop
    int begin_line = 0;
    int end_line = 0;
    bool is_step = false;  // runs once per step by its own look
    std::vector<Name> calls;
  };
  std::vector<std::string> imports;  // "torch.cuda.amp", "..config.DEVICE", "pkg.*"; sorted
  bool has_main = false;             // if __name__ == "__main__"
  bool changes_path = false;         // adds folders to sys.path
  // The language or binding for CUDA kernels without which the file cannot be imported: "cutlass.cute", "pycuda.driver"; empty:
  // none.
  std::string cuda_language;
  bool does_something = false;  // beside definitions and imports, when it is imported; of parsed files
  std::vector<Part> parts;      // of parsed files, by their first line
};

// Imports and has_main. May take a line of a long text for a statement.
Outline read_outline(std::string_view source);
// The rest, of a well-formed file.
void add_parts(Outline& outline, const Syntax& syntax, std::string_view source);

}  // namespace starbridge::port::python
