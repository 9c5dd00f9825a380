// Hooks: what PyTorch's core asks a PrivateUse1 backend for.
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "allocator.h"
#include "device_state.h"
#include "generator.h"

namespace starbridge::emulated {
namespace {

struct Pinned {
  std::mutex mutex;
  std::unordered_set<const void*> addresses;
};

Pinned& pinned() {
  static auto* instance = new Pinned;
  return *instance;
}

void free_pinned(void* address) {
  if (address == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(pinned().mutex);
    pinned().addresses.erase(address);
  }
  c10::free_cpu(address);
}

// Page-locked memory is plain host memory that answers is_pinned().
class PinnedAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* address = c10::alloc_cpu(bytes == 0 ? 1 : bytes);
    std::lock_guard<std::mutex> lock(pinned().mutex);
    pinned().addresses.insert(address);
    return {address, address, &free_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

PinnedAllocator* pinned_allocator() {
  static auto* instance = new PinnedAllocator;
  return instance;
}

class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex device) const override { return device >= 0 && device < device_count(); }
  void init() const override {}
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(device_count()); }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_current_device(device); }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(current_device()); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    auto before = getCurrentDevice();
    set_current_device(device);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? getCurrentDevice() : exchangeDevice(device);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override { return default_generator(device); }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override { return new_generator(device); }
  at::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  bool isPinnedPtr(const void* address) const override {
    std::lock_guard<std::mutex> lock(pinned().mutex);
    return pinned().addresses.count(address) > 0;
  }
  at::Device getDeviceFromPtr(void* address) const override {
    int device = owner_of(address);
    TORCH_CHECK(device >= 0, "the address is not the start of device memory");
    return {c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device)};
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    auto* impl = storage.unsafeGetStorageImpl();
    int before = current_device();
    set_current_device(impl->device().index());
    c10::DataPtr fresh = device_allocator()->allocate(bytes);
    set_current_device(before);
    size_t kept = std::min(bytes, impl->nbytes());
    if (kept > 0) std::memcpy(fresh.get(), impl->data(), kept);
    impl->set_data_ptr_noswap(std::move(fresh));
    impl->set_nbytes(bytes);
  }
};

struct Registrar {
  Registrar() {
    at::RegisterPrivateUse1HooksInterface(new Hooks);
    at::setHostAllocator(c10::kPrivateUse1, pinned_allocator());
  }
} registrar;

}  // namespace
}  // namespace starbridge::emulated
