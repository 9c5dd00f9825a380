// Toolchain: the Clang 19 that compiles kernel programs for an emulated card, the card's headers, its runtime, and the pass.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/card.h"
#include "kernel/machine.h"

namespace starbridge::kernel {

struct Toolchain {
  const Machine* machine = nullptr;
  std::string compiler;        // clang++-19
  std::string symbolizer;      // llvm-symbolizer-19; empty: places stay addresses
  std::string headers;         // folder with the machine's door
  std::string shared_headers;  // folder of those that all machines share
  std::string runtime;         // libstarbridge_<machine>.so
  std::string pass;            // libstarbridge_emulate_pass.so
};

// $STARBRIDGE_KERNEL_LIB names the folder of the two libraries; else they lie in lib/ beside the folder of this program or in the
// build tree. Error: kernel.no_toolchain, naming what is missing and how to get it.
base::Result<Toolchain> find_toolchain(const Machine& machine);

struct CompileRequest {
  std::vector<std::string> sources;   // of the machine, .cpp, .c; at least one
  std::vector<std::string> includes;  // -I
  std::vector<std::string> defines;   // -D
  std::string standard = "c++17";
  EmulatedCard card;
  bool fast_math = false;
  bool check = false;
  bool is_timed = false;      // scalar work is told to the modelled clocks
  std::string output_folder;  // exists; receives "program" and "device.so"
  // A library for another program (Python) to load instead of a program of its own: its path, and its device half beside it as
  // STEM.device.so. Empty: a program.
  std::string library;
  std::vector<std::string> system_includes;  // -isystem, after the card's own
  std::vector<std::string> preludes;  // headers read before each source
  std::vector<std::string> link;      // words for the linker: -L, -l, -Wl,
};

struct CompileResult {
  std::string program;  // or the library
  std::string warnings;
};

// Errors: kernel.does_not_compile (with the place of the first error and, for an unknown name, the nearest known one),
// kernel.no_kernel_source, base.cannot_start_program.
base::Result<CompileResult> compile(const Toolchain& toolchain, const CompileRequest& request);

// The kernels, launches and device code of one CUDA source as text for front::read; `request.sources` is not looked at.
// Errors: as compile; kernel.no_toolchain without the front end's plugin.
base::Result<std::string> read_kernels(const Toolchain& toolchain, const CompileRequest& request, const std::string& source);

// Names the headers declare, for suggestions.
std::vector<std::string> known_names(const Toolchain& toolchain);

}  // namespace starbridge::kernel
