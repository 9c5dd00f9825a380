// One element too many in shared memory.
__global__ void fill(int* out) {
  __shared__ int s[33];
  __shared__ int other[8];
  if (threadIdx.x < 8) other[threadIdx.x] = 0;
  s[threadIdx.x + 2] = threadIdx.x;  // EXPECT out-of-bounds
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s[5] + other[0];
}
int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  fill<<<1, 32>>>(out);
  cudaFree(out);
}
