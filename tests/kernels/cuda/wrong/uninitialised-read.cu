// Nothing was ever put into the input.
__global__ void twice(const float* in, float* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // EXPECT uninitialised-read
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  twice<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
