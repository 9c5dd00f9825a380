#include "device_state.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace starbridge::emulated {
namespace {

int count_of_devices = 0;
std::atomic<int64_t> streams_made{0};
std::atomic<bool> is_used{false};
std::atomic<bool> is_forked_after_use{false};
thread_local int device_of_thread = 0;
thread_local std::vector<c10::StreamId> streams_of_thread;

c10::Device as_device(int index) { return {c10::kPrivateUse1, static_cast<c10::DeviceIndex>(index)}; }

void check_index(int device) {
  TORCH_CHECK(device >= 0 && device < count_of_devices, "Invalid device index ", device, ": this process sees ",
              count_of_devices, " emulated device(s)");
}

int resolve(c10::Device device) { return device.has_index() ? device.index() : device_of_thread; }

using Clock = std::chrono::steady_clock;

struct Event {
  Clock::time_point time;
};

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return c10::kPrivateUse1; }
  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before = getDevice();
    if (resolve(device) != before.index()) setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return as_device(device_of_thread); }
  void setDevice(c10::Device device) const override { set_current_device(resolve(device)); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) device_of_thread = device.index();
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(count_of_devices); }

  c10::Stream getStream(c10::Device device) const override { return current_stream(resolve(device)); }
  c10::Stream getDefaultStream(c10::Device device) const override { return default_stream(resolve(device)); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return new_stream(resolve(device)); }
  c10::Stream getNewStream(c10::Device device, int) const override { return new_stream(resolve(device)); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    c10::Stream before = current_stream(stream.device_index());
    set_current_stream(stream);
    return before;
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return reinterpret_cast<void*>(static_cast<intptr_t>(stream.id()));
  }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}

  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->time = Clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  double elapsedTime(void* first, void* second, const c10::DeviceIndex) const override {
    TORCH_CHECK(first != nullptr && second != nullptr, "Both events must be recorded before calculating elapsed time.");
    auto span = static_cast<Event*>(second)->time - static_cast<Event*>(first)->time;
    return std::chrono::duration<double, std::milli>(span).count();
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

}  // namespace

int device_count() { return count_of_devices; }
void configure_devices(int count) {
  count_of_devices = count;
  pthread_atfork(nullptr, nullptr, [] { is_forked_after_use = is_used.load(); });
}

void check_process(const char* label) {
  TORCH_CHECK(!is_forked_after_use.load(std::memory_order_relaxed), "Cannot re-initialize ", label,
              " in forked subprocess. To use ", label, " with multiprocessing, you must use the 'spawn' start method");
  is_used.store(true, std::memory_order_relaxed);
}

int current_device() { return device_of_thread; }

void set_current_device(int device) {
  check_index(device);
  device_of_thread = device;
}

c10::Stream default_stream(int device) {
  return c10::Stream(c10::Stream::UNSAFE, as_device(device), 0);
}

c10::Stream current_stream(int device) {
  bool is_set = device < static_cast<int>(streams_of_thread.size());
  return c10::Stream(c10::Stream::UNSAFE, as_device(device), is_set ? streams_of_thread[device] : 0);
}

void set_current_stream(c10::Stream stream) {
  check_index(stream.device_index());
  if (streams_of_thread.size() < static_cast<size_t>(count_of_devices)) streams_of_thread.resize(count_of_devices, 0);
  streams_of_thread[stream.device_index()] = stream.id();
}

c10::Stream new_stream(int device) {
  check_index(device);
  return c10::Stream(c10::Stream::UNSAFE, as_device(device), ++streams_made);
}

}  // namespace starbridge::emulated
