// A division by zero.
__global__ void divide(int* data) {
  data[0] = data[1] / data[0];  // EXPECT crash
}
int main() {
  int* data;
  cudaMalloc(&data, 2 * sizeof(int));
  cudaMemset(data, 0, 2 * sizeof(int));
  divide<<<1, 1>>>(data);
  cudaFree(data);
}
