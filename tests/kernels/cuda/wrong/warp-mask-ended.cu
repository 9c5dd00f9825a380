// Lanes above 20 have returned, the mask still names them.
__global__ void shuffle(int* out) {
  if (threadIdx.x > 20) return;
  out[threadIdx.x] = __shfl_sync(0xffffffff, int(threadIdx.x), 3);  // EXPECT warp-mask-ended
}
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  shuffle<<<1, 32>>>(out);
  cudaFree(out);
}
