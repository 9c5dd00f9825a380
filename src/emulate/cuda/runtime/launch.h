// Launch: one grid, carried out by the workers. Kernels are known by the address of their host function.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver_types.h"
#include "emulate/common/kernel_table.h"
#include "emulate/cuda/runtime/block.h"

namespace starbridge::emulate::cuda {

struct SharedVariable {
  std::uint32_t offset;
  std::uint32_t bytes;
  const char* name;
};
// Made by the pass for each kernel.
struct SharedMap {
  std::uint32_t bytes;
  std::uint32_t count;
  SharedVariable variables[1];
};

struct Kernel : KernelEntry {  // its code is the loop over the threads of a block
  const SharedMap* shared = nullptr;
  int dynamic_shared_max = 48 << 10;
  int threads_max = 1024;
};

struct Launch {
  Kernel* kernel = nullptr;
  void** arguments = nullptr;
  dim3 grid;
  dim3 block;
  std::uint32_t dynamic_bytes = 0;
  std::uint32_t dynamic_offset = 0;
  bool is_cooperative = false;
  std::uint64_t block_count = 0;
  std::uint64_t stride = 1;  // above 1 when the grid is sampled
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> is_aborted{false};
  std::uint32_t first_interval = 0;
};

// One thread of the machine; runs blocks.
struct Worker {
  int number = 0;
  Block* block = nullptr;
  void* main_saved = nullptr;  // stack pointer of the worker's own stack while a block runs
  FibrePool fibres;
  Fibre* running = nullptr;
  std::vector<std::unique_ptr<Block>> spare;
  std::vector<char*> shared_slots;
  const void* told_place = nullptr;  // what a kernel last said of where its threads wait
  std::vector<char> region_frame;  // of the block that runs in regions
};

// The calling thread's worker; made when first asked for. Inlined: every barrier asks.
extern __thread Worker* t_worker __attribute__((visibility("hidden")));
Worker& make_worker();
inline Worker& this_worker() { return t_worker != nullptr ? *t_worker : make_worker(); }
// Runs the whole grid; returns cudaSuccess or what stopped it.
cudaError_t run_grid(Launch& launch);
// What a thread reports to stop the grid; kept as the error of the device.
void abort_launch(cudaError_t error);

Kernel* find_kernel(const void* host_function);
// The kernel that runs on the calling thread, or nullptr.
const Kernel* current_kernel();

}  // namespace starbridge::emulate::cuda

extern "C" {
extern __thread uint3 __sb_threadIdx;
extern __thread uint3 __sb_blockIdx;
extern __thread uint3 __sb_blockDim;
extern __thread uint3 __sb_gridDim;
extern __thread char* __sb_shared;
extern __thread char* __sb_dynamic_shared;
}
