// Graphs: work recorded from a capturing stream or added node by node, replayed at each launch. One thread per graph.
#pragma once

#include <functional>
#include <vector>

#include "driver_types.h"

struct CUgraph_st {
  std::vector<std::function<cudaError_t()>> work;  // in an order that keeps every dependency: the order of adding
};

namespace starbridge::emulate::cuda {

// Keeps `work` for later when `stream` captures (true), or leaves it to be done now (false).
bool record(cudaStream_t stream, std::function<cudaError_t()> work);

}  // namespace starbridge::emulate::cuda
