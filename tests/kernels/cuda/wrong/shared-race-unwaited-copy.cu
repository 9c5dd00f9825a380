// A copy by the whole block is read before anybody waited for it.
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

__global__ void too_early(const int* in, int* out) {
  __shared__ int tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, sizeof tile, bar);  // EXPECT-ALSO missing-warp-sync
  auto token = bar.arrive();
  out[threadIdx.x] = tile[127 - threadIdx.x];  // EXPECT shared-race  // EXPECT-ALSO uninitialised-read
  bar.wait(std::move(token));
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int)), cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 1, 128 * sizeof(int));
  too_early<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in), cudaFree(out);
}
