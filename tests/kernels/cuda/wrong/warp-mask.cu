// Lane 5 is not in the mask it gives.
__global__ void shuffle(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x == 5) v = __shfl_sync(0x1f, v, 5);  // EXPECT warp-mask
  out[threadIdx.x] = v;
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  shuffle<<<1, 32>>>(out);
  cudaFree(out);
}
