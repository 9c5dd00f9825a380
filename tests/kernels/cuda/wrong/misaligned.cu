// A float4 read at an address that is not divisible by 16.
// EXPECT-ALSO crash
__global__ void read(const float* in, float4* out) {
  *out = *reinterpret_cast<const float4*>(in + 1);  // EXPECT misaligned
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 8 * sizeof(float));
  cudaMalloc(&out, sizeof(float4));
  cudaMemset(in, 0, 8 * sizeof(float));
  read<<<1, 1>>>(in, reinterpret_cast<float4*>(out));
  cudaFree(in);
  cudaFree(out);
}
