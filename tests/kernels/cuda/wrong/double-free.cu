// The same pointer is freed twice.
int main() {
  int* data;
  cudaMalloc(&data, 16);
  cudaFree(data);
  cudaFree(data);  // EXPECT double-free
}
