// Port: a CUDA program as a BANG C program: kernels through trees, passes and the emitter, host code by names, a build file and
// what is to be said about each kernel. Any thread; blocking.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "kernel/port/bang_emitter.h"
#include "kernel/port/choices.h"

namespace starbridge::kernel::port {

struct PortRequest {
  std::string path;               // a .cu source
  std::vector<std::string> with;  // further ones of the program
  std::vector<std::string> includes, defines;
  std::vector<std::string> system_includes;  // of libraries: nothing of theirs is ported
  std::string standard = "c++17";
  std::string chip = "mlu370-x8";
  std::string output_folder = "ported";  // made when missing; empty: nothing is written
  Choices choices;
};

struct PortedKernel {
  std::string name;
  std::string file;
  int line = 0;
  bool is_launched = false;
  Emitted emitted;  // with .refusal when there is no port
};

struct PortReport {
  std::string chip;
  std::string language, memory;  // "BANG C", "NRAM"; "Ascend C", "UB"
  std::vector<PortedKernel> kernels;
  std::vector<std::string> files;  // written, the program first
};

// The kernels of a source, ported or refused one by one, with the tree they come from (its kernel and refuse nodes, in order).
struct PortedModule {
  std::string language;  // as in PortReport
  front::Tree tree;
  std::vector<PortedKernel> kernels;
};
// Errors: those of compiling; kernel.no_kernel_source.
base::Result<PortedModule> port_kernels(const PortRequest& request);
// The comment over a ported kernel: where it comes from, what is vector work and what is not.
std::string kernel_heading(const PortedKernel& kernel);

// Errors: kernel.cannot_port (file:line, the true reason, what to change), those of compiling and writing.
base::Result<PortReport> port_program(const PortRequest& request);
// The reason word of a refusal and what it is about, in words; `next` gets what to change.
base::Text refusal_text(const std::string& reason, base::Text& next);
// Share of work done by vector built-ins, 0 to 100; 100 when there is none.
int vector_share(long long by_vector, long long by_thread);
// The tree text of the program's kernels after the passes, for --trees.
base::Result<std::string> kernel_trees(const PortRequest& request);

}  // namespace starbridge::kernel::port
