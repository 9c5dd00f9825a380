// The card of this process: properties, streams, checks.
#pragma once

#include <ATen/Context.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace at::cuda {

inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  static cudaDeviceProp properties = [device] {
    cudaDeviceProp found;
    C10_CUDA_CHECK(cudaGetDeviceProperties(&found, device < 0 ? 0 : device));
    return found;
  }();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(c10::cuda::current_device()); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline int64_t getNumGPUs() { return c10::cuda::device_count(); }
inline bool is_available() { return c10::cuda::device_count() > 0; }

}  // namespace at::cuda
