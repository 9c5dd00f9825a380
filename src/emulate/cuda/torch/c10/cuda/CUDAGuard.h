// Guards: the current device and stream inside a block.
#pragma once

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>

namespace c10::cuda {

class CUDAGuard {
 public:
  explicit CUDAGuard(c10::DeviceIndex device) : before_(current_device()) { set_index(device); }
  explicit CUDAGuard(c10::Device device) : CUDAGuard(device.has_index() ? device.index() : c10::DeviceIndex{-1}) {}
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  ~CUDAGuard() { (void)cudaSetDevice(before_); }
  void set_device(c10::Device device) { set_index(device.index()); }
  void reset_device(c10::Device device) { set_index(device.index()); }
  void set_index(c10::DeviceIndex device) { c10::cuda::set_device(device); }
  c10::Device original_device() const { return c10::Device(c10::DeviceType::CPU); }
  c10::Device current_device_of() const { return c10::Device(c10::DeviceType::CPU); }

 private:
  c10::DeviceIndex before_;
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<c10::Device> device) {
    if (device) guard_.emplace(*device);
  }
  explicit OptionalCUDAGuard(c10::DeviceIndex device) : guard_(std::in_place, device) {}
  void set_device(c10::Device device) { guard_.emplace(device); }
  void set_index(c10::DeviceIndex device) { guard_.emplace(device); }
  void reset() { guard_.reset(); }

 private:
  std::optional<CUDAGuard> guard_;
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(c10::Stream) {}
  explicit CUDAStreamGuard(CUDAStream) {}
};

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
}  // namespace at::cuda
