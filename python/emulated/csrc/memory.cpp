#include "memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <mutex>
#include <set>

#include "machine.h"

namespace starbridge::device {
namespace {

// What a device storage keeps alive: either bytes of its own or a CPU storage that it took over.
struct Block {
  int device;
  std::int64_t bytes;
  c10::DataPtr memory;
  c10::Storage storage;
  ~Block() { Machine::get().give_back(device, bytes); }
};

void delete_block(void* context) { delete static_cast<Block*>(context); }

c10::DataPtr count_storage(const c10::Storage& storage, int device) {
  auto bytes = static_cast<std::int64_t>(storage.nbytes());
  Machine::get().take(device, bytes);
  auto* block = new Block{device, bytes, {}, storage};
  return {storage.mutable_data(), block, &delete_block, c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device))};
}

class DeviceAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    int device = Machine::get().current_device();
    Machine::get().take(device, static_cast<std::int64_t>(bytes));
    auto* block = new Block{device, static_cast<std::int64_t>(bytes), {}, {}};
    if (bytes > 0) block->memory = c10::GetCPUAllocator()->allocate(bytes);
    return {block->memory.get(), block, &delete_block, c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device))};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &delete_block; }
  void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }
};

std::mutex pinned_mutex;
std::set<const void*> pinned_blocks;

void delete_pinned(void* pointer) {
  {
    std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned_blocks.erase(pointer);
  }
  c10::free_cpu(pointer);
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* pointer = bytes > 0 ? c10::alloc_cpu(bytes) : nullptr;
    if (pointer != nullptr) {
      std::lock_guard<std::mutex> lock(pinned_mutex);
      pinned_blocks.insert(pointer);
    }
    return {pointer, pointer, &delete_pinned, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &delete_pinned; }
  void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }
};

void delete_tensor(void* context) { delete static_cast<c10::Storage*>(context); }

void shape_like(const at::Tensor& tensor, const at::Tensor& model) {
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(model.sizes(), model.strides(), model.storage_offset());
}

}  // namespace

c10::Allocator* device_allocator() {
  static DeviceAllocator allocator;
  return &allocator;
}

c10::Allocator* pinned_allocator() {
  static PinnedAllocator allocator;
  return &allocator;
}

bool is_pinned(const void* pointer) {
  std::lock_guard<std::mutex> lock(pinned_mutex);
  return pinned_blocks.count(pointer) > 0;
}

at::Tensor cpu_view(const at::Tensor& tensor) {
  const c10::Storage& own = tensor.storage();
  c10::DataPtr bytes(own.mutable_data(), new c10::Storage(own), &delete_tensor, c10::Device(c10::DeviceType::CPU));
  c10::Storage storage(c10::Storage::use_byte_size_t(), own.nbytes(), std::move(bytes), c10::GetCPUAllocator(), /*resizable=*/true);
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  shape_like(view, tensor);
  if (tensor.is_conj()) view._set_conj(true);
  if (tensor.is_neg()) view._set_neg(true);
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) view.unsafeGetTensorImpl()->set_wrapped_number(true);
  return view;
}

at::Tensor to_device(const at::Tensor& cpu, int device) {
  c10::DataPtr bytes = count_storage(cpu.storage(), device);
  std::size_t size = cpu.storage().nbytes();
  c10::Storage storage(c10::Storage::use_byte_size_t(), size, std::move(bytes), device_allocator(), /*resizable=*/true);
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), cpu.dtype());
  shape_like(tensor, cpu);
  if (cpu.is_conj()) tensor._set_conj(true);
  if (cpu.is_neg()) tensor._set_neg(true);
  if (cpu.unsafeGetTensorImpl()->is_wrapped_number()) tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

at::Tensor share_storage(const at::Tensor& base, const at::Tensor& cpu) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()), base.key_set(), cpu.dtype());
  shape_like(tensor, cpu);
  tensor._set_conj(cpu.is_conj());
  tensor._set_neg(cpu.is_neg());
  return tensor;
}

void adopt(const at::Tensor& tensor, const at::Tensor& cpu) {
  const c10::Storage& own = tensor.storage();
  if (own.data() != cpu.storage().data() || own.nbytes() != cpu.storage().nbytes()) {
    c10::StorageImpl* impl = own.unsafeGetStorageImpl();
    int device = own.device().index();
    impl->set_data_ptr_noswap(count_storage(cpu.storage(), device));
    impl->set_nbytes(cpu.storage().nbytes());
  }
  if (tensor.sizes() != cpu.sizes() || tensor.strides() != cpu.strides() || tensor.storage_offset() != cpu.storage_offset()) shape_like(tensor, cpu);
}

}  // namespace starbridge::device
