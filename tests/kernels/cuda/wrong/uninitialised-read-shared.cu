// Shared memory is not zero at the start.
__global__ void count(int* out) {
  __shared__ int total;
  atomicAdd(&total, 1);  // EXPECT uninitialised-read
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}
int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  count<<<1, 32>>>(out);
  cudaFree(out);
}
