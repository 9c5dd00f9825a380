// Host to device, but the pointers stand the other way round.
int main() {
  int host[4] = {1, 2, 3, 4};
  int* data;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyHostToDevice);  // EXPECT copy-direction
  cudaFree(data);
}
