// The first byte of a word is written by one lane and the byte beside it by the next one, later; another warp reads the first byte.
__global__ void heads(unsigned char* out) {
  __shared__ unsigned char s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  if (t < 32) {
    if (t % 2 == 0) s[t] = 1;  // EXPECT shared-race
    __syncwarp();
    if (t % 2 == 1) s[t] = 2;
  } else if (t % 2 == 0) {
    out[t - 32] = s[t - 32];  // EXPECT shared-race
  }
}
int main() {
  unsigned char* out;
  cudaMalloc(&out, 32);
  heads<<<1, 64>>>(out);
  cudaFree(out);
}
