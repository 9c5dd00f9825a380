#include "alias.h"

#include <c10/core/CPUAllocator.h>

#include "allocator.h"

namespace starbridge::emulated {
namespace {

void release_storage(void* context) { delete static_cast<c10::Storage*>(context); }

void keep_memory(void*) {}

at::Tensor with_geometry(const at::Tensor& like, c10::Storage storage, c10::DispatchKey key) {
  at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  auto* impl = result.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.is_conj()) impl->_set_conj(true);
  if (like.is_neg()) impl->_set_neg(true);
  return result;
}

}  // namespace

bool is_device_tensor(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::kPrivateUse1;
}

c10::Storage host_storage(const c10::Storage& device, bool owns) {
  auto* impl = device.unsafeGetStorageImpl();
  void* address = impl->_mutable_data_ptr_no_checks().get();
  c10::DataPtr memory = owns ? c10::DataPtr(address, new c10::Storage(device), &release_storage, c10::kCPU)
                             : c10::DataPtr(address, address, &keep_memory, c10::kCPU);
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), impl->nbytes(),
                                                            std::move(memory), c10::GetCPUAllocator(), /*resizable=*/true));
}

at::Tensor host_view(const at::Tensor& tensor, c10::Storage storage) {
  return with_geometry(tensor, std::move(storage), c10::DispatchKey::CPU);
}

at::Tensor host_tensor(const at::Tensor& tensor) {
  if (!is_device_tensor(tensor)) return tensor;
  return host_view(tensor, host_storage(tensor.storage(), true));
}

std::vector<at::Tensor> host_tensors(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> result;
  result.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) result.push_back(host_tensor(tensor));
  return result;
}

c10::Storage device_storage(const c10::Storage& host, int device) {
  c10::Device target(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device));
  auto* impl = host.unsafeGetStorageImpl();
  size_t bytes = impl->nbytes();
  c10::DataPtr memory;
  if (host.use_count() == 1) {
    memory = impl->set_data_ptr(c10::DataPtr(nullptr, c10::kCPU));
    memory.unsafe_set_device(target);
  } else {
    memory = c10::DataPtr(impl->_mutable_data_ptr_no_checks().get(), new c10::Storage(host), &release_storage, target);
  }
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, std::move(memory),
                                                            device_allocator(), /*resizable=*/true));
}

at::Tensor device_view(const at::Tensor& like, c10::Storage storage) {
  return with_geometry(like, std::move(storage), c10::DispatchKey::PrivateUse1);
}

void move_memory(const c10::Storage& host, const c10::Storage& device) {
  auto* from = host.unsafeGetStorageImpl();
  auto* to = device.unsafeGetStorageImpl();
  size_t bytes = from->nbytes();
  c10::DataPtr memory = from->set_data_ptr(c10::DataPtr(nullptr, c10::kCPU));
  memory.unsafe_set_device(to->device());
  to->set_data_ptr_noswap(std::move(memory));
  to->set_nbytes(bytes);
}

}  // namespace starbridge::emulated
