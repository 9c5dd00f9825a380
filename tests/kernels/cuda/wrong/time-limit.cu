// Nobody ever sets the flag.
__global__ void wait(volatile int* flag) {
  while (*flag == 0) {  // EXPECT time-limit
  }
}
int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait<<<1, 1>>>(flag);
}
