// CudaInventory: the kernels, launches, libraries and features of CUDA C++ sources, from the tree-sitter parse. Plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace starbridge::port {

struct CudaKernel {
  std::string name;
  std::string file;
  int line = 0;
  int line_count = 0;  // of its definition
  bool is_template = false;
  std::vector<std::string> features;  // sorted: "shared memory", "warp shuffle", "atomics", ...
};

struct CudaLaunch {
  std::string kernel;  // as written before <<<
  std::string file;
  int line = 0;
  std::string grid;
  std::string block;
};

struct CudaInventory {
  std::vector<CudaKernel> kernels;
  std::vector<CudaLaunch> launches;
  std::map<std::string, int> libraries;  // "cublas" -> mentions
  std::map<std::string, int> features;   // over all device code
  int device_line_count = 0;

  bool empty() const { return kernels.empty() && launches.empty() && libraries.empty(); }
  void merge(CudaInventory other);
  base::Json to_json() const;
};

}  // namespace starbridge::port
