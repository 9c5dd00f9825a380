// Every operator without a kernel of its own comes here: it is judged by the profile, then run by the CPU's kernel on views of the
// device's bytes, and its results are handed back to the device without copying.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include <unordered_map>

#include "generator.h"
#include "machine.h"
#include "memory.h"

namespace starbridge::device {
namespace {

using c10::IValue;

bool is_device_tensor(const at::Tensor& tensor) { return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1; }

// One call: the device tensors that went in and the CPU views that stand for them.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& op) : op_(op), name_(full_name(op)) {}

  void run(torch::jit::Stack* stack) {
    const auto& schema = op_.schema();
    std::size_t count = schema.arguments().size();
    std::size_t begin = stack->size() - count;
    for (std::size_t index = 0; index < count; ++index) convert((*stack)[begin + index]);
    judge();
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    std::size_t returns = schema.returns().size();
    for (const auto& [device, cpu] : pairs_) adopt(device, cpu);
    for (std::size_t index = stack->size() - returns; index < stack->size(); ++index) restore((*stack)[index]);
  }

 private:
  static std::string full_name(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
  }

  at::Tensor enter(const at::Tensor& tensor) {
    if (!is_device_tensor(tensor)) return tensor;
    for (const auto& [device, cpu] : pairs_) {
      if (device.is_same(tensor)) return cpu;
    }
    device_ = tensor.device().index();
    dtype_ = tensor.scalar_type();
    pairs_.emplace_back(tensor, cpu_view(tensor));
    return pairs_.back().second;
  }

  void convert(IValue& value) {
    if (value.isTensor()) {
      value = enter(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list = value.toTensorList().copy();
      for (std::size_t index = 0; index < list.size(); ++index) list.set(index, enter(list.get(index)));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list = value.toOptionalTensorList().copy();
      for (std::size_t index = 0; index < list.size(); ++index) {
        std::optional<at::Tensor> element = list.get(index);
        if (element.has_value()) list.set(index, enter(*element));
      }
      value = std::move(list);
    } else if (value.isDevice() && value.toDevice().type() == c10::DeviceType::PrivateUse1) {
      c10::Device device = value.toDevice();
      device_ = device.has_index() ? device.index() : static_cast<c10::DeviceIndex>(Machine::get().current_device());
      value = c10::Device(c10::DeviceType::CPU);
    } else if (value.isGenerator() && value.toGenerator().defined() && value.toGenerator().device().type() == c10::DeviceType::PrivateUse1) {
      value = cpu_generator_of(value.toGenerator());
    }
  }

  // Refusals and fallbacks of the chip's plug-in, as the profile has them.
  void judge() {
    Machine& machine = Machine::get();
    const Config& config = machine.config();
    if (config.dtypes_unsupported.count(dtype_) > 0 && !moves_bytes_only()) {
      machine.count(name_, 2);
      TORCH_CHECK(false, name_, ": ", c10::toString(dtype_), " is not supported on ", config.chip_name, " (emulated)");
    }
    auto rule = config.rules.find(name_);
    if (rule == config.rules.end()) return machine.count(name_, 0);
    if (rule->second.is_unsupported || config.refuses_fallback) {
      machine.count(name_, 2);
      TORCH_CHECK(false, "Could not run '", name_, "' on ", config.chip_name, " (emulated): the operator is not supported by the plug-in for ", config.backend,
                  " [", rule->second.source, "]");
    }
    machine.count(name_, 1);
    if (machine.is_first_fallback(name_)) {
      TORCH_WARN("CAUTION: the operator '", name_, "' is not supported on ", config.backend, " and falls back to the CPU, which costs copies on a real ", config.chip_name,
                 " [", rule->second.source, "]");
    }
  }

  bool moves_bytes_only() const {
    static const std::set<std::string> names = {"aten::copy_", "aten::view", "aten::as_strided", "aten::_local_scalar_dense", "aten::resize_", "aten::_reshape_alias", "aten::fill_.Scalar",
                                                "aten::zero_", "aten::detach", "aten::alias", "aten::unfold", "aten::view.dtype"};
    return names.count(name_) > 0;
  }

  at::Tensor leave(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != c10::DeviceType::CPU) return tensor;
    for (const auto& [device, cpu] : pairs_) {
      if (cpu.is_same(tensor)) return device;
    }
    for (const auto& [device, cpu] : pairs_) {
      if (tensor.has_storage() && cpu.storage().unsafeGetStorageImpl() == tensor.storage().unsafeGetStorageImpl()) return share_storage(device, tensor);
    }
    // Operators on a CPU tensor with a device tensor beside it (copy_ to the CPU) keep their own tensor.
    if (!is_created(tensor)) return tensor;
    return to_device(tensor, device_);
  }

  // A CPU tensor that came in as an argument is not the device's.
  bool is_created(const at::Tensor& tensor) const {
    for (const at::Tensor& outside : cpu_inputs_) {
      if (outside.is_same(tensor)) return false;
    }
    return true;
  }

  void restore(IValue& value) {
    if (value.isTensor()) {
      value = leave(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list = value.toTensorList().copy();
      for (std::size_t index = 0; index < list.size(); ++index) list.set(index, leave(list.get(index)));
      value = std::move(list);
    }
  }

 public:
  void note_cpu_inputs(const torch::jit::Stack& stack) {
    std::size_t begin = stack.size() - op_.schema().arguments().size();
    for (std::size_t index = begin; index < stack.size(); ++index) {
      if (stack[index].isTensor() && stack[index].toTensor().defined() && !is_device_tensor(stack[index].toTensor())) cpu_inputs_.push_back(stack[index].toTensor());
    }
  }

 private:
  const c10::OperatorHandle& op_;
  std::string name_;
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;
  std::vector<at::Tensor> cpu_inputs_;
  int device_ = Machine::get().current_device();
  c10::ScalarType dtype_ = c10::ScalarType::Undefined;
};

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::AutoDispatchBelowADInplaceOrView guard;
  Call call(op);
  call.note_cpu_inputs(*stack);
  call.run(stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>()); }

}  // namespace starbridge::device
