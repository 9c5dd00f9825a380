// The launch gives fewer bytes of shared memory than the kernel uses.
extern __shared__ int dynamic[];
__global__ void fill(int* out) {
  dynamic[threadIdx.x] = 1;  // EXPECT out-of-bounds
  out[threadIdx.x] = 1;
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  fill<<<1, 64, 60 * sizeof(int)>>>(out);
  cudaFree(out);
}
