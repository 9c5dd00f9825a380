// Half a warp waits for a shuffle of all, the other half at the block's barrier.
__global__ void stuck(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16)
    v = __shfl_sync(0xffffffff, v, 0);  // EXPECT deadlock
  else
    __syncthreads();
  out[threadIdx.x] = v;
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  stuck<<<1, 32>>>(out);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed ? 0 : 1;
}
