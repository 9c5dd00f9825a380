// The kernel gets a pointer that was freed.
__global__ void read(const int* in, int* out) {
  *out = in[3];  // EXPECT use-after-free
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaFree(in);
  read<<<1, 1>>>(in, out);
  cudaFree(out);
}
