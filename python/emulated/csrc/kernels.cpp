#include "kernels.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <set>

#include "alias.h"
#include "allocator.h"
#include "device_state.h"
#include "host_call.h"
#include "op_table.h"

namespace starbridge::emulated {
namespace {

constexpr c10::DispatchKeySet kDeviceKey(c10::DispatchKey::PrivateUse1);

// Puts the thread on the device that a factory was asked for.
class OnDevice {
 public:
  explicit OnDevice(std::optional<c10::Device> device) : before_(current_device()) {
    if (device.has_value() && device->has_index() && device->index() != before_) set_current_device(device->index());
    check_process(policy().label.c_str());
    TORCH_CHECK(device_count() > 0, "No ", policy().label, " devices are available (emulated: none is visible)");
  }
  ~OnDevice() {
    if (current_device() != before_) set_current_device(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout> layout,
                 std::optional<c10::Device> device, std::optional<bool> pin_memory, std::optional<c10::MemoryFormat> format) {
  c10::ScalarType type = c10::dtype_or_default(dtype);
  TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "the emulated device holds strided tensors only");
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  OnDevice guard(device);
  return at::detail::empty_generic(size, device_allocator(), kDeviceKey, type, format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> dtype,
                         std::optional<c10::Layout> layout, std::optional<c10::Device> device, std::optional<bool> pin_memory) {
  c10::ScalarType type = c10::dtype_or_default(dtype);
  TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "the emulated device holds strided tensors only");
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  OnDevice guard(device);
  return at::detail::empty_strided_generic(size, stride, device_allocator(), kDeviceKey, type);
}

at::Tensor& set_storage_at(at::Tensor& self, at::Storage source, int64_t offset, c10::IntArrayRef size, c10::IntArrayRef stride) {
  TORCH_CHECK(source.device() == self.device(), "Attempted to set the storage of a tensor on device \"", self.device(),
              "\" to a storage on different device \"", source.device(), "\".");
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(source));
  if (stride.data() != nullptr) {
    impl->set_sizes_and_strides(size, stride, offset);
  } else {
    impl->set_sizes_contiguous(size);
    impl->set_storage_offset(offset);
  }
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
  int64_t count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
  return set_storage_at(self, std::move(source), 0, {count}, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  if (self.is_same(source)) return self;
  return set_storage_at(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_nothing(at::Tensor& self) {
  OnDevice guard(self.device());
  c10::Storage storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0, device_allocator(), true));
  return set_storage_at(self, std::move(storage), 0, {0}, {});
}

void record_stream(at::Tensor&, c10::Stream) {}

// Lets module.to(device) change parameters in place, so that an optimizer made before still holds them, as on the cards.
bool may_take_data(const at::Tensor& self, const at::Tensor& from) {
  return self.layout() == c10::kStrided && from.layout() == c10::kStrided;
}

class HostKernel final : public c10::OperatorKernel {
 public:
  explicit HostKernel(OpRecord* record) : record_(record) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
    run_on_host(*record_, op, stack);
  }

 private:
  OpRecord* record_;
};

// Operators of other libraries; their records are found by name.
void run_foreign(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  std::string name = c10::toString(op.operator_name());
  OpRecord* record = op_record(name);
  record->is_mutable = op.schema().is_mutable();
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CPU) && !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd)) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", name, "' with arguments from the '", policy().label,
                                "' backend: it has no kernel for it. [emulated ", policy().chip_name, "]");
  }
  run_on_host(*record, op, stack);
}

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// Composite operators that the CPU should see whole: one call instead of many, and its own choice of algorithm.
bool is_taken_whole(const std::string& base) {
  static const std::set<std::string> names = {"aten::convolution", "aten::convolution_backward", "aten::copy_"};
  return starts_with(base, "aten::_foreach_") || names.count(base) > 0;
}

bool may_mix_devices(const std::string& base) {
  static const std::set<std::string> names = {
      "aten::copy_", "aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::index_put", "aten::_unsafe_index",
      "aten::_unsafe_index_put", "aten::_pack_padded_sequence", "aten::_ctc_loss", "aten::_ctc_loss_backward",
      "aten::_fused_adam_", "aten::_fused_adamw_", "aten::_fused_sgd_", "aten::_fused_adagrad_", "aten::is_set_to",
      "aten::_foreach_copy_"};
  return names.count(base) > 0;
}

// A card without arithmetic for a dtype still holds, moves and converts it.
bool moves_bytes(const std::string& base) {
  static const std::set<std::string> names = {"aten::copy_", "aten::_local_scalar_dense", "aten::resize_", "aten::fill_", "aten::zero_",
                                              "aten::unfold", "aten::_foreach_copy_"};
  return names.count(base) > 0;
}

bool is_left_out(const std::string& base) {
  static const std::set<std::string> names = {"aten::_efficientzerotensor", "aten::is_pinned", "aten::_pin_memory",
                                              "aten::_has_compatible_shallow_copy_type"};
  return names.count(base) > 0;
}

OpRecord* prepare(const std::string& name, const std::string& base, const c10::OperatorHandle& op) {
  OpRecord* record = op_record(name);
  record->is_mutable = op.schema().is_mutable();
  record->may_mix_devices = may_mix_devices(base);
  record->moves_bytes = moves_bytes(base);
  bool takes_generator = false;
  for (const auto& argument : op.schema().arguments()) takes_generator |= argument.name() == "generator";
  record->is_random = !takes_generator && op.hasTag(at::Tag::nondeterministic_seeded);
  return record;
}

}  // namespace

void register_operators() {
  using c10::DispatchKey;
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", std::make_optional(DispatchKey::PrivateUse1), __FILE__, __LINE__);
  static auto* others = new torch::Library(torch::Library::IMPL, "_", std::make_optional(DispatchKey::PrivateUse1), __FILE__, __LINE__);
  others->fallback(torch::CppFunction::makeFromBoxedFunction<&run_foreign>());
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& operator_name : dispatcher.getAllOpNames()) {
    const std::string& base = operator_name.name;
    if (!starts_with(base, "aten::") || is_left_out(base)) continue;
    auto op = dispatcher.findOp(operator_name);
    if (!op.has_value() || !op->hasSchema() || op->hasKernelForDispatchKey(DispatchKey::PrivateUse1)) continue;
    std::string name = c10::toString(operator_name);
    bool is_kernel = op->hasKernelForDispatchKey(DispatchKey::CPU) ||
                     op->hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutogradNonFunctional);
    bool is_refused_whole = false;
    if (!is_kernel && !is_taken_whole(base)) {
      // A composite operator runs as its parts; only one that the profile refuses is stopped at its own name.
      is_refused_whole = op_record(name)->mode == OpMode::kUnsupported;
      if (!is_refused_whole) continue;
    }
    OpRecord* record = prepare(name, base, *op);
    library->impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<HostKernel>(record)));
  }
}

}  // namespace starbridge::emulated

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  using namespace starbridge::emulated;
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("view", TORCH_FN(at::native::view));
  m.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  m.impl("set_.source_Storage", TORCH_FN(set_storage));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage_at));
  m.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  m.impl("set_", TORCH_FN(set_nothing));
  m.impl("record_stream", TORCH_FN(record_stream));
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(may_take_data));
}
