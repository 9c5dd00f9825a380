// Some threads return before a barrier.
__global__ void early(int* out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();  // EXPECT barrier-after-exit
  out[threadIdx.x] = 1;
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  early<<<1, 32>>>(out, 20);
  cudaFree(out);
}
