#include "generator.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>
#include <vector>

#include "machine.h"

namespace starbridge::device {
namespace {

class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  DeviceGenerator(int device, at::Generator inner)
      : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device)), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        inner_(std::move(inner)) {}
  void set_current_seed(std::uint64_t seed) override { inner_.set_current_seed(seed); }
  void set_offset(std::uint64_t) override { TORCH_CHECK(false, "the emulated generator has no offset"); }
  std::uint64_t get_offset() const override { return 0; }
  std::uint64_t current_seed() const override { return inner_.current_seed(); }
  std::uint64_t seed() override { return inner_.seed(); }
  void set_state(const c10::TensorImpl& state) override { inner_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return inner_.unsafeGetGeneratorImpl()->get_state(); }
  const at::Generator& inner() const { return inner_; }

 private:
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(device().index(), inner_.clone()); }
  mutable at::Generator inner_;
};

}  // namespace

at::Generator make_generator(int device) {
  return at::make_generator<DeviceGenerator>(device < 0 ? Machine::get().current_device() : device, at::make_generator<at::CPUGeneratorImpl>(c10::default_rng_seed_val));
}

const at::Generator& default_generator(int device) {
  static std::mutex mutex;
  static auto* generators = new std::vector<at::Generator>();
  std::lock_guard<std::mutex> lock(mutex);
  if (device < 0) device = Machine::get().current_device();
  while (static_cast<int>(generators->size()) < std::max(Machine::get().config().device_count, device + 1)) {
    generators->push_back(at::make_generator<DeviceGenerator>(static_cast<int>(generators->size()), at::detail::getDefaultCPUGenerator()));
  }
  return (*generators)[static_cast<std::size_t>(device)];
}

at::Generator cpu_generator_of(const at::Generator& generator) {
  return static_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl())->inner();
}

}  // namespace starbridge::device
