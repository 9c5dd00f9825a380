// CUDA's host words in CNRT.
#include "kernel/port/host.h"

namespace starbridge::kernel::port {

// In step with CUDA's order of arguments; names with port:: adapt it or wait where CUDA waits.
const HostNames& cnrt_names() {
  static const HostNames names{{{"cudaDeviceReset", "cnrtDeviceReset"},
                                {"cudaDeviceSynchronize", "cnrtDeviceSynchronize"},
                                {"cudaThreadSynchronize", "cnrtDeviceSynchronize"},
                                {"cudaError_t", "cnrtRet_t"},
                                {"cudaError", "cnrtRet_t"},
                                {"cudaEventCreate", "cnrtNotifierCreate"},
                                {"cudaEventDestroy", "cnrtNotifierDestroy"},
                                {"cudaEventElapsedTime", "port::elapsed"},
                                {"cudaEventRecord", "port::place_notifier"},
                                {"cudaEventSynchronize", "cnrtWaitNotifier"},
                                {"cudaEvent_t", "cnrtNotifier_t"},
                                {"cudaFree", "port::free_device"},
                                {"cudaFreeHost", "cnrtFreeHost"},
                                {"cudaGetDevice", "cnrtGetDevice"},
                                {"cudaGetDeviceCount", "port::device_count"},
                                {"cudaGetDeviceProperties", "port::device_properties"},
                                {"cudaGetErrorName", "cnrtGetErrorName"},
                                {"cudaGetErrorString", "cnrtGetErrorStr"},
                                {"cudaGetLastError", "cnrtGetLastError"},
                                {"cudaHostAlloc", "port::host_malloc"},
                                {"cudaMalloc", "cnrtMalloc"},
                                {"cudaMallocHost", "port::host_malloc"},
                                {"cudaMemGetInfo", "cnrtMemGetInfo"},
                                {"cudaMemcpy", "port::memcpy"},
                                {"cudaMemcpy2D", "port::memcpy_2d"},
                                {"cudaMemcpyAsync", "port::memcpy_async"},
                                {"cudaMemcpyDeviceToDevice", "cnrtMemcpyDevToDev"},
                                {"cudaMemcpyDeviceToHost", "cnrtMemcpyDevToHost"},
                                {"cudaMemcpyFromSymbol", "port::memcpy_from_symbol"},
                                {"cudaMemcpyHostToDevice", "cnrtMemcpyHostToDev"},
                                {"cudaMemcpyHostToHost", "cnrtMemcpyHostToHost"},
                                {"cudaMemcpyKind", "cnrtMemTransDir_t"},
                                {"cudaMemcpyToSymbol", "port::memcpy_to_symbol"},
                                {"cudaMemset", "port::memset"},
                                {"cudaMemsetAsync", "port::memset_async"},
                                {"cudaPeekAtLastError", "cnrtPeekAtLastError"},
                                {"cudaSetDevice", "cnrtSetDevice"},
                                {"cudaStreamCreate", "cnrtQueueCreate"},
                                {"cudaStreamDestroy", "cnrtQueueDestroy"},
                                {"cudaStreamSynchronize", "cnrtQueueSync"},
                                {"cudaStream_t", "cnrtQueue_t"},
                                {"cudaSuccess", "cnrtSuccess"},
                                {"cudaErrorMemoryAllocation", "cnrtErrorNoMem"},
                                {"cudaErrorInvalidValue", "cnrtErrorArgsInvalid"}},
                               "CNRT"};
  return names;
}

}  // namespace starbridge::kernel::port
