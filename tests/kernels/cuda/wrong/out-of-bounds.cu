// The last block has no bound on its index.
__global__ void fill(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;  // EXPECT out-of-bounds
}
int main() {
  float* data;
  cudaMalloc(&data, 100 * sizeof(float));
  fill<<<4, 32>>>(data);
  cudaFree(data);
}
