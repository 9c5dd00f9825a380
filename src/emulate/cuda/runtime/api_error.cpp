// Errors: last error per host thread, and the one that ended the use of the card.
#include <atomic>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::cuda {

namespace {
thread_local cudaError_t t_last = cudaSuccess;
std::atomic<int> g_sticky{0};
thread_local int t_depth = 0;
}  // namespace

cudaError_t sticky_error() { return static_cast<cudaError_t>(g_sticky.load()); }
void set_sticky_error(cudaError_t error) { g_sticky = error; }

cudaError_t give(cudaError_t error) {
  if (error == cudaSuccess && g_sticky != 0) error = sticky_error();
  if (error != cudaSuccess && error != cudaErrorNotReady) t_last = error;
  return error;
}

CardOpen::CardOpen() {
  if (settings().is_check && t_depth++ == 0) open_device_memory();
}
CardOpen::~CardOpen() {
  if (settings().is_check && --t_depth == 0) close_device_memory();
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

cudaError_t cudaGetLastError(void) {
  cudaError_t error = t_last;
  t_last = cudaSuccess;
  if (sticky_error() != cudaSuccess) error = sticky_error();
  return error;
}
cudaError_t cudaPeekAtLastError(void) { return sticky_error() != cudaSuccess ? sticky_error() : t_last; }

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define SB_CUDA_ERROR(name, number, text) \
  case number:                            \
    return text;
#include "starbridge/errors.def"
#undef SB_CUDA_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define SB_CUDA_ERROR(name, number, text) \
  case number:                            \
    return #name;
#include "starbridge/errors.def"
#undef SB_CUDA_ERROR
  }
  return "unrecognized error code";
}
}
