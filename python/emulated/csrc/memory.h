// Memory: device storage is host memory that is counted against a card. Tensors change sides without copying: a CPU view of a
// device tensor shares its bytes, and what the CPU computed is handed over as it is. Thread safe as far as tensors are.
#pragma once

#include <ATen/ATen.h>

namespace starbridge::device {

c10::Allocator* device_allocator();
c10::Allocator* pinned_allocator();
bool is_pinned(const void* pointer);

// A CPU tensor on the bytes of a device tensor. Its storage may be grown by the operator that gets it.
at::Tensor cpu_view(const at::Tensor& tensor);
// A device tensor that takes over the storage of a CPU tensor and counts it.
at::Tensor to_device(const at::Tensor& cpu, int device);
// A device tensor over the storage of `base`, shaped like `cpu`.
at::Tensor share_storage(const at::Tensor& base, const at::Tensor& cpu);
// After an operator wrote to cpu_view(tensor): takes over size, strides and, if it was grown, the storage.
void adopt(const at::Tensor& tensor, const at::Tensor& cpu);

}  // namespace starbridge::device
