// What PyTorch asks of a device runtime: guards with streams and events, and the hooks of a PrivateUse1 accelerator.
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include "generator.h"
#include "machine.h"
#include "memory.h"

namespace starbridge::device {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

c10::Device device_at(int index) { return {kType, static_cast<c10::DeviceIndex>(index)}; }

// Work is finished when a call returns, so a stream is a name and an event is the moment it was recorded.
thread_local std::vector<c10::StreamId> current_streams;

c10::StreamId& current_stream_id(int device) {
  if (static_cast<std::size_t>(device) >= current_streams.size()) current_streams.resize(static_cast<std::size_t>(device) + 1, 0);
  return current_streams[static_cast<std::size_t>(device)];
}

struct Event {
  std::chrono::steady_clock::time_point at;
};

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before = getDevice();
    setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return device_at(Machine::get().current_device()); }
  void setDevice(c10::Device device) const override {
    if (device.has_index()) Machine::get().set_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index() && device.index() < Machine::get().config().device_count) Machine::get().set_device(device.index());
  }
  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::UNSAFE, device, current_stream_id(device.index())); }
  c10::Stream getDefaultStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<c10::StreamId> next{1};
    return c10::Stream(c10::Stream::UNSAFE, device.has_index() ? device : getDevice(), next++);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    c10::Stream before = getStream(stream.device());
    current_stream_id(stream.device_index()) = stream.id();
    return before;
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event();
    static_cast<Event*>(*event)->at = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(Machine::get().config().device_count); }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeEvent(void*) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
  double elapsedTime(void* begin, void* end, const c10::DeviceIndex) const override {
    TORCH_CHECK(begin != nullptr && end != nullptr, "Both events must be recorded before the elapsed time is asked for.");
    return std::chrono::duration<double, std::milli>(static_cast<Event*>(end)->at - static_cast<Event*>(begin)->at).count();
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return deviceCount() > 0; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override { return default_generator(device); }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override { return make_generator(device); }
  c10::Device getDeviceFromPtr(void*) const override { return device_at(Machine::get().current_device()); }
  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(Machine::get().config().device_count); }
  void setCurrentDevice(c10::DeviceIndex device) const override { Machine::get().set_device(device); }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(Machine::get().current_device()); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    auto before = getCurrentDevice();
    if (device >= 0) Machine::get().set_device(device);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override { return exchangeDevice(device); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    c10::StorageImpl* impl = storage.unsafeGetStorageImpl();
    Guard guard;
    c10::Device before = guard.exchangeDevice(storage.device());
    c10::DataPtr grown = device_allocator()->allocate(bytes);
    guard.setDevice(before);
    std::memcpy(grown.get(), storage.data(), std::min(bytes, storage.nbytes()));
    impl->set_data_ptr_noswap(std::move(grown));
    impl->set_nbytes(bytes);
  }
};

}  // namespace

void register_hooks() {
  static auto* hooks = new Hooks();
  if (!at::isPrivateUse1HooksRegistered()) at::RegisterPrivateUse1HooksInterface(hooks);
  c10::SetAllocator(kType, device_allocator());
}


}  // namespace starbridge::device
