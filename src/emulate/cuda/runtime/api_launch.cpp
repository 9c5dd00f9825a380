// Launches and what is asked about kernels.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"
#include "emulate/common/settings.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/graph.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate::cuda {

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> t_configurations;

std::size_t static_bytes(const Kernel& kernel) { return kernel.shared == nullptr ? 0 : kernel.shared->bytes; }

cudaError_t check_limits(const Kernel& kernel, dim3 grid, dim3 block, std::size_t shared_bytes) {
  const cudaDeviceProp& card = card_properties();
  const auto limit = [](int value) { return static_cast<std::uint64_t>(value); };
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
    return cudaErrorInvalidConfiguration;
  if (grid.x > limit(card.maxGridSize[0]) || grid.y > limit(card.maxGridSize[1]) || grid.z > limit(card.maxGridSize[2]))
    return cudaErrorInvalidConfiguration;
  if (block.x > limit(card.maxThreadsDim[0]) || block.y > limit(card.maxThreadsDim[1]) || block.z > limit(card.maxThreadsDim[2]))
    return cudaErrorInvalidConfiguration;
  if (std::uint64_t{block.x} * block.y * block.z > limit(card.maxThreadsPerBlock)) return cudaErrorInvalidConfiguration;
  if (shared_bytes > static_cast<std::size_t>(kernel.dynamic_shared_max)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// Arguments that outlive the call that gave them.
struct KeptArguments {
  std::vector<std::vector<char>> values;
  std::vector<void*> addresses;
};

std::shared_ptr<KeptArguments> keep_arguments(const Kernel& kernel, void** arguments) {
  auto kept = std::make_shared<KeptArguments>();
  for (std::size_t i = 0; i < kernel.argument_bytes.size(); ++i) {
    const auto* from = static_cast<const char*>(arguments[i]);
    kept->values.emplace_back(from, from + kernel.argument_bytes[i]);
    kept->addresses.push_back(kept->values.back().data());
  }
  kept->addresses.push_back(nullptr);
  return kept;
}

}  // namespace

cudaError_t launch(const void* host_function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                   bool is_cooperative) {
  Kernel* kernel = find_kernel(host_function);
  if (kernel == nullptr || kernel->code == nullptr || kernel->invoke == nullptr) return cudaErrorInvalidDeviceFunction;
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (cudaError_t error = check_limits(*kernel, grid, block, shared_bytes); error != cudaSuccess) return error;
  const int per_processor =
      blocks_per_multiprocessor(static_bytes(*kernel), shared_bytes, static_cast<int>(block.x * block.y * block.z));
  Launch run;
  run.kernel = kernel;
  run.arguments = arguments;
  run.grid = grid;
  run.block = block;
  run.is_cooperative = is_cooperative;
  run.dynamic_bytes = static_cast<std::uint32_t>(shared_bytes);
  run.dynamic_offset = static_cast<std::uint32_t>((static_bytes(*kernel) + 127) / 128 * 128);
  run.block_count = std::uint64_t{grid.x} * grid.y * grid.z;
  if (is_cooperative && run.block_count > static_cast<std::uint64_t>(per_processor) *
                                              static_cast<std::uint64_t>(card_properties().multiProcessorCount))
    return cudaErrorCooperativeLaunchTooLarge;
  if (settings().sample_blocks > 0 && run.block_count > settings().sample_blocks && !is_cooperative) {
    run.stride = (run.block_count + settings().sample_blocks - 1) / settings().sample_blocks;
    report_here("sampled-launch", nullptr,
                "only every " + std::to_string(run.stride) + "th block of a grid of " + std::to_string(run.block_count) +
                    " was run: " + kernel->readable,
                "网格共 " + std::to_string(run.block_count) + " 个线程块，每 " + std::to_string(run.stride) + " 个只执行一个：" +
                    kernel->readable);
  }
  CardOpen open;
  cudaError_t error = run_grid(run);
  if (error != cudaSuccess) set_sticky_error(error);
  return error;
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, CUstream_st* stream) {
  t_configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}
unsigned int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (t_configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration top = t_configurations.back();
  t_configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  return 0;
}

cudaError_t cudaLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  if (is_capturing(stream)) {
    Kernel* kernel = find_kernel(host_function);
    if (kernel == nullptr) return give(cudaErrorInvalidDeviceFunction);
    auto kept = keep_arguments(*kernel, arguments);
    record(stream, [=] { return launch(host_function, grid, block, kept->addresses.data(), shared_bytes, false); });
    return give(cudaSuccess);
  }
  cudaError_t error = launch(host_function, grid, block, arguments, shared_bytes, false);
  // A launch itself reports only what is wrong with its configuration; what stops the kernel shows at the next call.
  return give(error);
}
cudaError_t cudaLaunchCooperativeKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                        cudaStream_t) {
  return give(launch(host_function, grid, block, arguments, shared_bytes, true));
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                   const cudaKernelNodeParams* parameters) {
  if (node == nullptr || graph == nullptr || parameters == nullptr) return give(cudaErrorInvalidValue);
  Kernel* kernel = find_kernel(parameters->func);
  if (kernel == nullptr) return give(cudaErrorInvalidDeviceFunction);
  if (parameters->kernelParams == nullptr) return give(cudaErrorNotSupported);
  auto kept = keep_arguments(*kernel, parameters->kernelParams);
  cudaKernelNodeParams copy = *parameters;
  graph->work.push_back(
      [=] { return launch(copy.func, copy.gridDim, copy.blockDim, kept->addresses.data(), copy.sharedMemBytes, false); });
  *node = reinterpret_cast<cudaGraphNode_t>(graph->work.size());
  return give(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void* host_function, cudaFuncAttribute attribute, int value) {
  Kernel* kernel = find_kernel(host_function);
  if (kernel == nullptr) return give(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || static_cast<size_t>(value) + static_bytes(*kernel) > card_properties().sharedMemPerBlockOptin)
      return give(cudaErrorInvalidValue);
    kernel->dynamic_shared_max = value;
  }
  return give(cudaSuccess);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host_function) {
  Kernel* kernel = find_kernel(host_function);
  if (kernel == nullptr || attributes == nullptr) return give(cudaErrorInvalidDeviceFunction);
  const int version = card_properties().major * 10 + card_properties().minor;
  // Registers are not counted on the CPU: the figure is the one that lets a full block run.
  *attributes = {static_bytes(*kernel), 0, 0, kernel->threads_max, 32, version, version, 0, kernel->dynamic_shared_max, -1};
  return give(cudaSuccess);
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return give(cudaSuccess); }
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return give(cudaSuccess); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host_function, int threads,
                                                          size_t dynamic_bytes) {
  Kernel* kernel = find_kernel(host_function);
  if (kernel == nullptr || blocks == nullptr || threads <= 0) return give(cudaErrorInvalidValue);
  *blocks = blocks_per_multiprocessor(static_bytes(*kernel), dynamic_bytes, threads);
  return give(cudaSuccess);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host_function, int threads,
                                                                   size_t dynamic_bytes, unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host_function, threads, dynamic_bytes);
}
}
