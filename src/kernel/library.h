// Library: kernel sources compiled for an emulated card into a shared library that another program loads, as Python does with an
// extension of PyTorch. Knows nothing of PyTorch: folders, headers and libraries are the caller's. Any thread; blocking.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

struct LibraryRequest {
  std::vector<std::string> sources;  // of one machine, with plain sources of the host
  std::string output;                // NAME.so; NAME.device.so comes to lie beside it
  std::string machine;               // cuda, bang, ascend; empty: that of the first source with kernels
  std::vector<std::string> includes, defines, preludes, link;
  std::string standard = "c++17";
  std::string card;  // empty: the machine's default
  bool fast_math = false;
  bool check = false;
};

// Errors: those of find_toolchain, find_card and compile; kernel.no_kernel_source.
base::Status build_library(const LibraryRequest& request);

}  // namespace starbridge::kernel
