// The host reads what only the card can reach.
#include <cstdio>
int main() {
  int* data;
  cudaMalloc(&data, sizeof(int));
  cudaMemset(data, 0, sizeof(int));
  std::printf("%d\n", *data);  // EXPECT device-pointer-on-host
  cudaFree(data);
}
