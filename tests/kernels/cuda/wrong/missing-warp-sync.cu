// The unrolled reduction of old: lanes count on running in step.
__global__ void sum(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] = s[t] + s[t + 32];
    s[t] = s[t] + s[t ^ 16];  // EXPECT missing-warp-sync
    s[t] = s[t] + s[t ^ 8];   // EXPECT missing-warp-sync
  }
  if (t == 0) *out = s[0];
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  sum<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
