// What the files of the runtime interface share.
#pragma once

#include "driver_types.h"

namespace starbridge::emulate::cuda {

// Remembers `error` as the last one of the calling thread and returns it; an error that stopped a kernel stays for good.
cudaError_t give(cudaError_t error);
// The error that ended the use of the card, or cudaSuccess.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);
// True while `stream` records a graph: the work is kept by `record`, not done.
bool is_capturing(cudaStream_t stream);

// Inside a call of the runtime the host may touch memory of the card; in a check it may not outside.
class CardOpen {
 public:
  CardOpen();
  ~CardOpen();
  CardOpen(const CardOpen&) = delete;
  CardOpen& operator=(const CardOpen&) = delete;
};

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const void* place);
cudaError_t fill(void* to, int value, std::size_t bytes, const void* place);
cudaError_t launch(const void* host_function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                   bool is_cooperative);
const cudaDeviceProp& card_properties();
// How many blocks of this kernel fit a multiprocessor at once.
int blocks_per_multiprocessor(std::size_t static_bytes, std::size_t dynamic_bytes, int threads);

}  // namespace starbridge::emulate::cuda

#define SB_PLACE __builtin_return_address(0)
