// Lane 20 does not take part.
__global__ void shuffle(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffff, int(threadIdx.x), 20);  // EXPECT shuffle-source
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  shuffle<<<1, 32>>>(out);
  cudaFree(out);
}
