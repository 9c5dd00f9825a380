// The barrier between the write and the neighbour's read is missing.
__global__ void shift(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;  // EXPECT shared-race
  out[threadIdx.x] = s[(threadIdx.x + 32) % 64];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaFree(out);
}
// EXPECT-ALSO uninitialised-read
