// Recursion without an end.
__device__ int sum(volatile int* data, int n) {
  volatile int local[64];
  local[n % 64] = data[0];  // EXPECT stack-overflow
  return sum(data, n + 1) + local[(n + 7) % 64];  // EXPECT stack-overflow
}
__global__ void run(int* data) { data[0] = sum(data, data[0]); }
int main() {
  int* data;
  cudaMalloc(&data, sizeof(int));
  cudaMemset(data, 0, sizeof(int));
  run<<<1, 1>>>(data);
  cudaFree(data);
}
