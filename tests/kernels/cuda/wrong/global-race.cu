// Blocks add to one word without an atomic.
__global__ void sum(const int* in, int* out) {
  *out += in[blockIdx.x];  // EXPECT global-race
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 1, 8 * sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  sum<<<8, 1>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
