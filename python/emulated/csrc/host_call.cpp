#include "host_call.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

#include <optional>

#include "alias.h"
#include "allocator.h"
#include "device_state.h"
#include "generator.h"

namespace starbridge::emulated {
namespace {

using c10::IValue;

constexpr size_t kUsualTensors = 8;

struct SeenStorage {
  c10::Storage device;
  c10::Storage host;
  void* address;  // where the memory was before the kernel ran
};

struct SeenTensor {
  at::Tensor device;
  at::Tensor host;
};

// One call: which CPU view stands for which device tensor.
class Call {
 public:
  Call(OpRecord& record, const c10::OperatorHandle& op) : record_(record), op_(op) {}

  void take_arguments(torch::jit::Stack& stack, size_t begin) {
    for (size_t i = begin; i < stack.size(); ++i) take(stack[i], i - begin);
    check_one_device();
  }

  int device() const { return device_ >= 0 ? device_ : current_device(); }
  int dtype() const { return tensors_.empty() ? kDtypes : static_cast<int>(tensors_[0].device.scalar_type()); }
  bool has_low_precision() const { return has_low_precision_; }

  // After the kernel: memory and geometry that it changed reach the caller's tensors.
  void write_back() {
    for (SeenStorage& seen : storages_) {
      if (seen.host.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks().get() != seen.address) move_memory(seen.host, seen.device);
    }
    if (!record_.is_mutable) return;
    for (SeenTensor& seen : tensors_) {
      bool is_same = seen.device.sizes() == seen.host.sizes() && seen.device.strides() == seen.host.strides() &&
                     seen.device.storage_offset() == seen.host.storage_offset();
      if (is_same) continue;
      seen.device.unsafeGetTensorImpl()->set_sizes_and_strides(seen.host.sizes(), seen.host.strides(),
                                                               seen.host.storage_offset());
    }
  }

  void give_result(IValue& value) {
    if (value.isTensor()) {
      value = result(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list = value.toTensorList();
      c10::List<at::Tensor> mapped;
      mapped.reserve(list.size());
      for (size_t i = 0; i < list.size(); ++i) mapped.push_back(result(list.extract(i)));
      value = std::move(mapped);
    }
  }

 private:
  void take(IValue& value, size_t index) {
    if (value.isTensor()) {
      const at::Tensor& tensor = value.toTensor();
      if (!tensor.defined()) return;
      if (tensor.device().type() == c10::kPrivateUse1) {
        value = host_of(tensor, index);
      } else {
        note_host_tensor(tensor, index);
      }
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list = value.toTensorList();
      c10::List<at::Tensor> mapped;
      mapped.reserve(list.size());
      for (at::Tensor tensor : list) mapped.push_back(host_or_same(tensor, index));
      value = std::move(mapped);
    } else if (value.isList()) {
      take_optional_list(value, index);
    } else if (value.isDevice()) {
      c10::Device device = value.toDevice();
      if (device.type() != c10::kPrivateUse1) return;
      if (device_ < 0) device_ = device.has_index() ? device.index() : current_device();
      value = c10::Device(c10::kCPU);
    } else if (value.isGenerator()) {
      value = host_generator(value.toGenerator());
    } else if (value.isNone() && !is_shared_with_host()) {
      fill_generator(value, index);
    }
  }

  void take_optional_list(IValue& value, size_t index) {
    auto type = value.type()->cast<c10::ListType>();
    if (type == nullptr || type->getElementType()->kind() != c10::TypeKind::OptionalType) return;
    c10::List<std::optional<at::Tensor>> mapped;
    for (const IValue& item : value.toListRef()) {
      if (item.isNone()) {
        mapped.push_back(std::nullopt);
      } else if (item.isTensor()) {
        mapped.push_back(host_or_same(item.toTensor(), index));
      } else {
        return;
      }
    }
    value = std::move(mapped);
  }

  // Each device draws from its own stream when streams are not shared with the CPU.
  void fill_generator(IValue& value, size_t index) {
    const auto& type = op_.schema().arguments()[index].type();
    if (type->kind() != c10::TypeKind::OptionalType) return;
    if (type->castRaw<c10::OptionalType>()->getElementType()->kind() != c10::TypeKind::GeneratorType) return;
    value = host_default_generator(device());
  }

  at::Tensor host_or_same(const at::Tensor& tensor, size_t index) {
    if (!tensor.defined()) return tensor;
    if (tensor.device().type() == c10::kPrivateUse1) return host_of(tensor, index);
    note_host_tensor(tensor, index);
    return tensor;
  }

  at::Tensor host_of(const at::Tensor& tensor, size_t index) {
    if (device_ < 0) device_ = tensor.device().index();
    if (tensor.device().index() != device_ && !record_.may_mix_devices) refuse_mix(tensor.device(), index);
    for (SeenTensor& seen : tensors_) {
      if (seen.device.unsafeGetTensorImpl() == tensor.unsafeGetTensorImpl()) return seen.host;
    }
    TORCH_CHECK(tensor.layout() == c10::kStrided, "sparse tensors are not supported on the emulated device: ", record_.name);
    at::Tensor host = host_view(tensor, host_of(tensor.storage()));
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) host.unsafeGetTensorImpl()->set_wrapped_number(true);
    c10::ScalarType type = tensor.scalar_type();
    has_low_precision_ |= type == c10::kHalf || type == c10::kBFloat16;
    tensors_.push_back({tensor, host});
    return host;
  }

  c10::Storage host_of(const c10::Storage& storage) {
    for (SeenStorage& seen : storages_) {
      if (seen.device.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) return seen.host;
    }
    c10::Storage host = host_storage(storage, false);
    storages_.push_back({storage, host, storage.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks().get()});
    return host;
  }

  void note_host_tensor(const at::Tensor& tensor, size_t index) {
    host_inputs_.push_back(tensor.unsafeGetTensorImpl());
    if (tensor.dim() > 0 && !mixed_argument_.has_value()) mixed_argument_ = index;
  }

  void check_one_device() const {
    if (mixed_argument_.has_value() && !tensors_.empty() && !record_.may_mix_devices) refuse_mix(c10::kCPU, *mixed_argument_);
  }

  [[noreturn]] void refuse_mix(c10::Device other, size_t index) const {
    c10::Device own(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device()));
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", own, " and ", other,
                "! (when checking argument for argument ", op_.schema().arguments()[index].name(), " in method ", record_.name,
                ")");
    __builtin_unreachable();
  }

  at::Tensor result(const at::Tensor& host) {
    if (!host.defined()) return host;
    auto* impl = host.unsafeGetTensorImpl();
    for (SeenTensor& seen : tensors_) {
      if (seen.host.unsafeGetTensorImpl() == impl) return seen.device;
    }
    for (c10::TensorImpl* input : host_inputs_) {
      if (input == impl) return host;
    }
    TORCH_CHECK(host.layout() == c10::kStrided, record_.name, " gives a ", host.layout(),
                " tensor, which the emulated device does not hold");
    for (SeenStorage& seen : storages_) {
      if (seen.host.unsafeGetStorageImpl() == host.storage().unsafeGetStorageImpl()) return device_view(host, seen.device);
    }
    check_dtype(record_, static_cast<int>(host.scalar_type()));
    auto* address = host.storage().unsafeGetStorageImpl();
    for (auto& [from, to] : adopted_) {
      if (from.unsafeGetStorageImpl() == address) return device_view(host, to);
    }
    c10::Storage fresh = device_storage(host.storage(), device());
    adopted_.emplace_back(host.storage(), fresh);
    return device_view(host, std::move(fresh));
  }

  OpRecord& record_;
  const c10::OperatorHandle& op_;
  int device_ = -1;
  bool has_low_precision_ = false;
  std::optional<size_t> mixed_argument_;
  c10::SmallVector<SeenTensor, kUsualTensors> tensors_;
  c10::SmallVector<SeenStorage, kUsualTensors> storages_;
  c10::SmallVector<c10::TensorImpl*, 4> host_inputs_;
  c10::SmallVector<std::pair<c10::Storage, c10::Storage>, 4> adopted_;
};

bool is_low(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.scalar_type() == c10::kHalf || tensor.scalar_type() == c10::kBFloat16);
}

// The CPU lacks some half precision kernels that the cards have: such an operator runs in float32 and rounds its results.
// Gives false when the operator has an argument that this cannot serve.
bool run_in_float(const c10::OperatorHandle& op, const torch::jit::Stack& arguments, torch::jit::Stack* stack) {
  torch::jit::Stack wide = arguments;
  std::vector<std::pair<at::Tensor, at::Tensor>> written;  // low, wide
  std::optional<c10::ScalarType> low;
  for (size_t i = 0; i < wide.size(); ++i) {
    if (!wide[i].isTensor()) {
      if (wide[i].isTensorList()) return false;
      continue;
    }
    at::Tensor tensor = wide[i].toTensor();
    if (!is_low(tensor)) continue;
    low = tensor.scalar_type();
    at::Tensor converted = tensor.to(c10::kFloat);
    const auto* info = op.schema().arguments()[i].alias_info();
    if (info != nullptr && info->isWrite()) written.emplace_back(tensor, converted);
    wide[i] = converted;
  }
  if (!low.has_value()) return false;
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &wide);
  for (auto& [narrow, converted] : written) {
    narrow.resize_(converted.sizes());
    narrow.copy_(converted);
  }
  for (IValue& value : wide) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    at::Tensor tensor = value.toTensor();
    bool is_written = false;
    for (auto& [narrow, converted] : written) {
      if (!tensor.is_same(converted)) continue;
      value = narrow;
      is_written = true;
      break;
    }
    if (!is_written && tensor.scalar_type() == c10::kFloat) value = tensor.to(*low);
  }
  *stack = std::move(wide);
  return true;
}

void call_kernel(const c10::OperatorHandle& op, torch::jit::Stack* stack, size_t begin, bool has_low_precision) {
  constexpr c10::DispatchKeySet kHost(c10::DispatchKey::CPU);
  if (!has_low_precision) return op.redispatchBoxed(kHost, stack);
  torch::jit::Stack arguments(stack->begin() + static_cast<std::ptrdiff_t>(begin), stack->end());
  torch::jit::Stack own = arguments;
  try {
    op.redispatchBoxed(kHost, &own);
  } catch (const c10::Error& error) {
    std::string text = error.what_without_backtrace();
    bool is_missing = text.find("not implemented for 'Half'") != std::string::npos ||
                      text.find("not implemented for 'BFloat16'") != std::string::npos;
    if (!is_missing || !run_in_float(op, arguments, &own)) throw;
  }
  stack->resize(begin);
  for (IValue& value : own) stack->push_back(std::move(value));
}

// Lends the CPU's default generator the stream of a device for an operator that takes no generator.
class LentStream {
 public:
  LentStream(bool is_needed, int device) {
    if (!is_needed) return;
    own_ = at::get_generator_or_default<at::CPUGeneratorImpl>(host_default_generator(device), at::Generator());
    host_ = at::get_generator_or_default<at::CPUGeneratorImpl>(std::nullopt, at::detail::getDefaultCPUGenerator());
    swap();
  }
  ~LentStream() {
    if (own_ != nullptr) swap();
  }
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

 private:
  void swap() {
    auto engine = own_->engine();
    auto normal = own_->next_float_normal_sample();
    auto wide_normal = own_->next_double_normal_sample();
    own_->set_engine(host_->engine());
    own_->set_next_float_normal_sample(host_->next_float_normal_sample());
    own_->set_next_double_normal_sample(host_->next_double_normal_sample());
    host_->set_engine(engine);
    host_->set_next_float_normal_sample(normal);
    host_->set_next_double_normal_sample(wide_normal);
  }
  at::CPUGeneratorImpl* own_ = nullptr;
  at::CPUGeneratorImpl* host_ = nullptr;
};

}  // namespace

void run_on_host(OpRecord& record, const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  check_process(policy().label.c_str());
  size_t begin = stack->size() - op.schema().arguments().size();
  Call call(record, op);
  call.take_arguments(*stack, begin);
  admit(record, call.dtype());
  {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    LentStream stream(record.is_random && !is_shared_with_host(), call.device());
    DeviceScope scope(call.device());
    call_kernel(op, stack, begin, call.has_low_precision());
  }
  call.write_back();
  for (size_t i = begin; i < stack->size(); ++i) call.give_result((*stack)[i]);
}

}  // namespace starbridge::emulated
