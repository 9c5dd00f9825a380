#include "generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

#include <vector>

#include "device_state.h"

namespace starbridge::emulated {
namespace {

class EmulatedGenerator final : public c10::GeneratorImpl {
 public:
  EmulatedGenerator(int device, at::Generator host)
      : c10::GeneratorImpl(c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device)),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host_(std::move(host)) {}

  void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { host_.set_offset(offset); }
  uint64_t get_offset() const override { return host_.get_offset(); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override { return host_.seed(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }
  const at::Generator& host() const { return host_; }

 private:
  EmulatedGenerator* clone_impl() const override { return new EmulatedGenerator(device().index(), host_.clone()); }
  mutable at::Generator host_;
};

std::vector<at::Generator>& defaults() {
  static auto* instance = new std::vector<at::Generator>;
  return *instance;
}

bool is_shared_mode = true;

}  // namespace

void configure_generators(int device_count, bool is_shared) {
  is_shared_mode = is_shared;
  for (int i = 0; i < device_count; ++i) {
    at::Generator host = is_shared ? at::detail::getDefaultCPUGenerator() : at::detail::createCPUGenerator();
    defaults().push_back(at::make_generator<EmulatedGenerator>(i, std::move(host)));
  }
}

const at::Generator& default_generator(int device) {
  if (device < 0) device = current_device();
  TORCH_CHECK(device < static_cast<int>(defaults().size()), "Invalid device index ", device);
  return defaults()[device];
}

at::Generator new_generator(int device) {
  if (device < 0) device = current_device();
  return at::make_generator<EmulatedGenerator>(device, at::detail::createCPUGenerator());
}

at::Generator host_generator(const at::Generator& generator) {
  if (!generator.defined() || generator.device().type() != c10::kPrivateUse1) return generator;
  return static_cast<EmulatedGenerator*>(generator.unsafeGetGeneratorImpl())->host();
}

const at::Generator& host_default_generator(int device) {
  return static_cast<EmulatedGenerator*>(default_generator(device).unsafeGetGeneratorImpl())->host();
}

bool is_shared_with_host() { return is_shared_mode; }

}  // namespace starbridge::emulated
