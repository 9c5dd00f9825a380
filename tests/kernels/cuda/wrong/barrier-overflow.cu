// The barrier counts one thread fewer than the block has.
#include <cuda/barrier>

__global__ void one_too_many(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int count;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x + 1);
    count = 0;
  }
  __syncthreads();
  (void)bar.arrive(2);  // EXPECT barrier-overflow
  out[threadIdx.x] = count;
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  one_too_many<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
