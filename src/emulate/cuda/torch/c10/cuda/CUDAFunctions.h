// Devices of this process.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {

inline c10::DeviceIndex device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<c10::DeviceIndex>(count) : 0;
}
inline c10::DeviceIndex current_device() {
  int device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  return static_cast<c10::DeviceIndex>(device);
}
// A tensor of the reference run has no card's number (-1 or 0): it stays where it is.
inline void set_device(c10::DeviceIndex device) {
  if (device >= 0) C10_CUDA_CHECK(cudaSetDevice(device));
}
inline void SetDevice(c10::DeviceIndex device) { set_device(device); }
inline void MaybeSetDevice(c10::DeviceIndex device) { set_device(device); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

}  // namespace c10::cuda
