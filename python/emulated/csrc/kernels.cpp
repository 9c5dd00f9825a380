// Operators that cannot go through the CPU's kernels: making tensors, changing storages, and those that PyTorch leaves to the backend.
#include <ATen/EmptyTensor.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

#include "machine.h"
#include "memory.h"

namespace starbridge::device {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Device resolve(std::optional<c10::Device> device) {
  if (device && device->has_index()) return *device;
  return {c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(Machine::get().current_device())};
}

// The allocator asks for the current device, so it is set for the length of a call.
struct DeviceScope {
  explicit DeviceScope(c10::Device device) : before(Machine::get().current_device()) { Machine::get().set_device(device.index()); }
  ~DeviceScope() { Machine::get().set_device(before); }
  int before;
};

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool> pin,
                 std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  DeviceScope scope(resolve(device));
  return at::detail::empty_generic(size, device_allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<at::Device> device,
                         std::optional<bool>) {
  DeviceScope scope(resolve(device));
  return at::detail::empty_strided_generic(size, stride, device_allocator(), kKeys, c10::dtype_or_default(dtype));
}

at::Tensor& set_storage(at::Tensor& self, c10::Storage source, std::int64_t offset, c10::IntArrayRef size, c10::IntArrayRef stride) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  std::vector<std::int64_t> contiguous;
  if (stride.data() == nullptr || stride.size() != size.size()) {
    contiguous.assign(size.size(), 1);
    for (std::size_t index = size.size(); index-- > 1;) contiguous[index - 1] = contiguous[index] * std::max<std::int64_t>(1, size[index]);
    stride = contiguous;
  }
  self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset);
  return self;
}

at::Tensor& set_whole_storage(at::Tensor& self, c10::Storage source) {
  auto count = static_cast<std::int64_t>(source.nbytes() / self.itemsize());
  return set_storage(self, std::move(source), 0, {count}, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_nothing(at::Tensor& self) {
  at::Tensor fresh = at::empty({0}, self.options());
  return set_storage(self, fresh.storage(), 0, {0}, {});
}

at::Tensor host_view(const at::Tensor& tensor) { return tensor.device().type() == c10::DeviceType::PrivateUse1 ? cpu_view(tensor) : tensor; }

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool) {
  Machine::get().count("aten::copy_", 0);
  host_view(target).copy_(host_view(source));
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  const_cast<at::Tensor&>(target).resize_(source.sizes());
  return copy_from(source, target, false);
}

void record_stream(at::Tensor&, at::Stream) {}

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding,
                       c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  Machine::get().count("aten::convolution", 0);
  std::optional<at::Tensor> cpu_bias;
  if (bias && bias->defined()) cpu_bias = cpu_view(*bias);
  return to_device(at::convolution_symint(cpu_view(input), cpu_view(weight), cpu_bias, stride, padding, dilation, transposed, output_padding, groups), input.device().index());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, c10::SymIntArrayRef stride,
                                                                    c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed,
                                                                    c10::SymIntArrayRef output_padding, c10::SymInt groups, std::array<bool, 3> mask) {
  Machine::get().count("aten::convolution_backward", 0);
  c10::SymInt channels = transposed ? grad.sym_size(1) : weight.sym_size(0);
  std::vector<c10::SymInt> bias_sizes = {channels};
  auto [d_input, d_weight, d_bias] = at::convolution_backward_symint(cpu_view(grad), cpu_view(input), cpu_view(weight), c10::SymIntArrayRef(bias_sizes), stride, padding,
                                                                      dilation, transposed, output_padding, groups, mask);
  int device = input.device().index();
  auto move = [&](const at::Tensor& tensor) { return tensor.defined() ? to_device(tensor, device) : tensor; };
  return {move(d_input), move(d_weight), move(d_bias)};
}

// Attention is computed by its definition; the chips' fused kernels are reached by other names.
std::int64_t choose_attention(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, double, bool, std::optional<double>, bool) {
  return static_cast<std::int64_t>(sdp::SDPBackend::math);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("set_.source_Storage_storage_offset", &set_storage);
  m.impl("set_.source_Storage", &set_whole_storage);
  m.impl("set_.source_Tensor", &set_tensor);
  m.impl("set_", &set_nothing);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("record_stream", &record_stream);
  m.impl("convolution_overrideable", &convolution);
  m.impl("convolution_backward_overrideable", &convolution_backward);
  m.impl("_fused_sdp_choice", &choose_attention);
}

}  // namespace starbridge::device
