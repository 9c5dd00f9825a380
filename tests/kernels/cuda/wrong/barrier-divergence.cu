// Two barriers under a condition that differs within the block.
__global__ void split(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    __syncthreads();  // EXPECT barrier-divergence
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  split<<<1, 32>>>(out);
  cudaFree(out);
}
