// Streams of torch_mlu on the emulated chip. Work is carried out when it is asked for; a stream is a name for it.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/DeviceGuard.h>
#include <cnrt.h>

namespace torch_mlu {

class MLUStream {
 public:
  explicit MLUStream(cnrtQueue_t queue = nullptr) : queue_(queue) {}
  cnrtQueue_t stream() const { return queue_; }
  operator cnrtQueue_t() const { return queue_; }
  c10::Device device() const { return c10::Device(c10::DeviceType::PrivateUse1, device_index()); }
  c10::DeviceIndex device_index() const {
    return c10::impl::getDeviceGuardImpl(c10::DeviceType::PrivateUse1)->getDevice().index();
  }
  void synchronize() const { (void)cnrtQueueSync(queue_); }

 private:
  cnrtQueue_t queue_;
};

inline MLUStream getCurrentMLUStream(c10::DeviceIndex = -1) { return MLUStream(); }
inline MLUStream getDefaultMLUStream(c10::DeviceIndex = -1) { return MLUStream(); }
inline cnrtQueue_t getCurMLUStream(c10::DeviceIndex = -1) { return nullptr; }

}  // namespace torch_mlu
