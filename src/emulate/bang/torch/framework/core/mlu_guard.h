// Guards of torch_mlu on the emulated chip: the current device inside a block.
#pragma once

#include <c10/core/DeviceGuard.h>

#include <optional>

namespace torch_mlu::mlu {

class MLUGuard {
 public:
  explicit MLUGuard(c10::Device device) : guard_(device) {}
  explicit MLUGuard(c10::DeviceIndex index) : guard_(c10::Device(c10::DeviceType::PrivateUse1, index)) {}
  void set_device(c10::Device device) { guard_.reset_device(device); }
  void set_index(c10::DeviceIndex index) { guard_.set_index(index); }
  c10::Device current_device() const { return guard_.current_device(); }
  c10::Device original_device() const { return guard_.original_device(); }

 private:
  c10::DeviceGuard guard_;
};

class OptionalMLUGuard {
 public:
  OptionalMLUGuard() = default;
  explicit OptionalMLUGuard(std::optional<c10::Device> device) : guard_(device) {}
  explicit OptionalMLUGuard(c10::DeviceIndex index) : guard_(c10::Device(c10::DeviceType::PrivateUse1, index)) {}
  void set_device(c10::Device device) { guard_.reset_device(device); }

 private:
  c10::OptionalDeviceGuard guard_;
};

}  // namespace torch_mlu::mlu
