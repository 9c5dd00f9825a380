// CUDA's host words in ACL.
#include "kernel/port/host.h"

namespace starbridge::kernel::port {

const HostNames& acl_names() {
  static const HostNames names{{{"cudaDeviceReset", "PORT_NOTHING"},
                                {"cudaDeviceSynchronize", "port::synchronize"},
                                {"cudaThreadSynchronize", "port::synchronize"},
                                {"cudaError_t", "aclError"},
                                {"cudaError", "aclError"},
                                {"cudaEventCreate", "port::create_event"},
                                {"cudaEventDestroy", "aclrtDestroyEvent"},
                                {"cudaEventElapsedTime", "aclrtEventElapsedTime"},
                                {"cudaEventRecord", "port::record_event"},
                                {"cudaEventSynchronize", "aclrtSynchronizeEvent"},
                                {"cudaEvent_t", "aclrtEvent"},
                                {"cudaFree", "port::free_device"},
                                {"cudaFreeHost", "aclrtFreeHost"},
                                {"cudaGetDevice", "port::get_device"},
                                {"cudaGetDeviceCount", "port::device_count"},
                                {"cudaGetDeviceProperties", "port::device_properties"},
                                {"cudaGetErrorName", "port::error_text"},
                                {"cudaGetErrorString", "port::error_text"},
                                {"cudaGetLastError", "port::last_error"},
                                {"cudaHostAlloc", "port::host_malloc"},
                                {"cudaMalloc", "port::malloc"},
                                {"cudaMallocHost", "port::host_malloc"},
                                {"cudaMemGetInfo", "port::memory_info"},
                                {"cudaMemcpy", "port::memcpy"},
                                {"cudaMemcpy2D", "port::memcpy_2d"},
                                {"cudaMemcpyAsync", "port::memcpy_async"},
                                {"cudaMemcpyDeviceToDevice", "ACL_MEMCPY_DEVICE_TO_DEVICE"},
                                {"cudaMemcpyDeviceToHost", "ACL_MEMCPY_DEVICE_TO_HOST"},
                                {"cudaMemcpyFromSymbol", "port::memcpy_from_symbol"},
                                {"cudaMemcpyHostToDevice", "ACL_MEMCPY_HOST_TO_DEVICE"},
                                {"cudaMemcpyHostToHost", "ACL_MEMCPY_HOST_TO_HOST"},
                                {"cudaMemcpyKind", "aclrtMemcpyKind"},
                                {"cudaMemcpyToSymbol", "port::memcpy_to_symbol"},
                                {"cudaMemset", "port::memset"},
                                {"cudaMemsetAsync", "port::memset_async"},
                                {"cudaPeekAtLastError", "port::last_error"},
                                {"cudaSetDevice", "port::set_device"},
                                {"cudaStreamCreate", "port::create_stream"},
                                {"cudaStreamDestroy", "aclrtDestroyStream"},
                                {"cudaStreamSynchronize", "aclrtSynchronizeStream"},
                                {"cudaStream_t", "aclrtStream"},
                                {"cudaSuccess", "ACL_SUCCESS"},
                                {"cudaErrorMemoryAllocation", "ACL_ERROR_RT_MEMORY_ALLOCATION"},
                                {"cudaErrorInvalidValue", "ACL_ERROR_RT_PARAM_INVALID"}},
                               "ACL"};
  return names;
}

}  // namespace starbridge::kernel::port
