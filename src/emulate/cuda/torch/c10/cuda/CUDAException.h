// Checks of runtime calls.
#pragma once

#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>

#define C10_CUDA_CHECK(expression)                                                           \
  do {                                                                                       \
    const cudaError_t sb_error = (expression);                                               \
    TORCH_CHECK(sb_error == cudaSuccess, "CUDA error: ", cudaGetErrorString(sb_error));      \
  } while (0)
#define C10_CUDA_CHECK_WARN(expression)                                                      \
  do {                                                                                       \
    const cudaError_t sb_error = (expression);                                               \
    if (sb_error != cudaSuccess) TORCH_WARN("CUDA warning: ", cudaGetErrorString(sb_error)); \
  } while (0)
#define C10_CUDA_IGNORE_ERROR(expression) (void)(expression)
#define C10_CUDA_ERROR_HANDLED(expression) (expression)
#define C10_CUDA_CLEAR_ERROR() (void)cudaGetLastError()
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define AT_CUDA_DRIVER_CHECK(expression) C10_CUDA_CHECK(expression)
