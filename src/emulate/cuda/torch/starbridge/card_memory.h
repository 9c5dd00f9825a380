// Puts PyTorch's host memory into the emulated card's managed memory from the moment the first extension is loaded: kernels and host
// operators then see the same bytes, and the checkers know where each tensor begins and ends.
#pragma once

#include <c10/core/CPUAllocator.h>
#include <cuda_runtime_api.h>

#include <cstring>

namespace starbridge::torch_card {

class ManagedAllocator final : public c10::Allocator {
 public:
  explicit ManagedAllocator(c10::Allocator* host) : host_(host) {}
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return host_->allocate(bytes);
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, bytes) != cudaSuccess) {
      (void)cudaGetLastError();
      return host_->allocate(bytes);
    }
    return {memory, memory, &free_block, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

 private:
  static void free_block(void* memory) { (void)cudaFree(memory); }
  c10::Allocator* host_;
};

// One allocator however many extensions there are: its priority is above the host's own and below nothing else's.
inline bool take_memory() {
  constexpr uint8_t kPriority = 90;
  static ManagedAllocator* const instance = new ManagedAllocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(instance, kPriority);
  return true;
}
inline const bool g_has_taken_memory = take_memory();

}  // namespace starbridge::torch_card
