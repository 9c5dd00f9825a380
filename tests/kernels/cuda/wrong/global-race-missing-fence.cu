// The last block adds the parts, but no fence stands between a part and the counter.
__device__ unsigned g_done = 0;
__global__ void sum(int* parts, int* out) {
  parts[blockIdx.x] = blockIdx.x;  // EXPECT global-race
  if (atomicAdd(&g_done, 1u) == gridDim.x - 1) {
    int all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += parts[b];
    *out = all;
  }
}
int main() {
  int *parts, *out;
  cudaMalloc(&parts, 8 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  sum<<<8, 1>>>(parts, out);
  cudaFree(parts);
  cudaFree(out);
}
