// Alias: the same memory seen as a CPU tensor or as a device tensor. No copy in either direction. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

namespace starbridge::emulated {

bool is_device_tensor(const at::Tensor& tensor);

// A CPU storage over a device storage's memory. `owns`: keeps the device storage alive (for work that outlives the call).
c10::Storage host_storage(const c10::Storage& device, bool owns);
// A CPU tensor with the geometry of `tensor` on `storage`, which must come from host_storage of its storage.
at::Tensor host_view(const at::Tensor& tensor, c10::Storage storage);
// Both steps, keeping the memory alive.
at::Tensor host_tensor(const at::Tensor& tensor);
std::vector<at::Tensor> host_tensors(const std::vector<at::Tensor>& tensors);

// A device storage that takes over a CPU storage's memory (moved when nobody else holds it, shared otherwise).
c10::Storage device_storage(const c10::Storage& host, int device);
// A device tensor with the geometry of the CPU tensor `like` on `storage`.
at::Tensor device_view(const at::Tensor& like, c10::Storage storage);
// Gives the memory that a CPU kernel put under `host` (by resizing) to the device storage it stood for.
void move_memory(const c10::Storage& host, const c10::Storage& device);

}  // namespace starbridge::emulated
