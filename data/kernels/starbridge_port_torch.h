// What host code of a ported PyTorch extension shares: launches in CUDA's terms, checks, properties of the card. For the C++ compiler; kernels
// read starbridge_port.h instead.
#pragma once

#include <cnrt.h>
#include <torch/extension.h>

#include <algorithm>

#include "framework/core/MLUStream.h"
#include "framework/core/mlu_guard.h"

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_count = 1, unsigned int y_count = 1, unsigned int z_count = 1) : x(x_count), y(y_count), z(z_count) {}
};

namespace port {

// kernel<<<grid, block, shared_bytes, queue>>>.
struct Launch {
  dim3 grid, block;
  size_t shared_bytes = 0;
  cnrtQueue_t queue = nullptr;
};

template <class A, class B>
constexpr A ceil_div(A a, B b) { return (a + b - 1) / b; }

// As a tensor gives it: -1 leaves the device as it is.
inline void set_device(int device) {
  if (device >= 0) cnrtSetDevice(device);
}

// What launches are sized by; the port runs blocks of up to 1024 threads one after the other on each core.
struct CardProperties {
  int multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor, warpSize;
  int maxGridSize[3];
  size_t sharedMemPerBlock;
};
inline const CardProperties* current_properties() {
  static const CardProperties properties = [] {
    int clusters = 1, cores = 1;
    cnrtDeviceGetAttribute(&clusters, cnrtAttrClusterCount, 0);
    cnrtDeviceGetAttribute(&cores, cnrtAttrMcorePerCluster, 0);
    return CardProperties{clusters * cores, 1024, 1024, 32, {0x7fffffff, 65535, 65535}, 48 * 1024};
  }();
  return &properties;
}

}  // namespace port

#define PORT_CHECK(expression)                                                      \
  do {                                                                              \
    const cnrtRet_t port_error = (expression);                                      \
    TORCH_CHECK(port_error == cnrtSuccess, "MLU error: ", cnrtGetErrorStr(port_error)); \
  } while (0)
#define PORT_LAUNCH_CHECK() PORT_CHECK(cnrtGetLastError())
