// Not the pointer that cudaMalloc gave.
int main() {
  int* data;
  cudaMalloc(&data, 16);
  cudaFree(data + 1);  // EXPECT invalid-free
  cudaFree(data);
}
