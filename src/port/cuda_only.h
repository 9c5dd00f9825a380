// Files that are CUDA's own whatever their device is called: written in a language for CUDA kernels, or tests of such. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "port/python/outline.h"

namespace starbridge::port {

struct CudaOnly {
  std::string language;  // "cutlass.cute"; empty: the file is not CUDA's own
  std::string through;   // the file that imports it, when it is not this one
};

// Of each Python file, as `paths`. CUDA's own is a file that imports such a language outside every test and function; one beside
// it that imports it and lives among as many of the kind, as the parts of one kernel do; and a test that imports one of them.
// What merely uses kernels is not: it may have another way.
std::vector<CudaOnly> find_cuda_only(const std::vector<std::string>& paths, const std::vector<const python::Outline*>& outlines);

}  // namespace starbridge::port
