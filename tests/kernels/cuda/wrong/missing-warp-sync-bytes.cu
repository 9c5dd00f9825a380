// Bytes of one word go from lane to lane and nothing stands between, though a later access of another byte of the word lies between them.
__global__ void turned(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp();
  const unsigned char next = s[(t + 1) % 32];
  s[t] = next;  // EXPECT missing-warp-sync
  __syncwarp();
  out[t] = s[t];
}
int main() {
  unsigned char *in, *out;
  cudaMalloc(&in, 32);
  cudaMalloc(&out, 32);
  cudaMemset(in, 1, 32);
  turned<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
