// A local array of four, an index of up to seven.
__global__ void local(int* out, int n) {
  int parts[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) parts[i] += i;  // EXPECT local-out-of-bounds
  out[0] = parts[1];
}
int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  local<<<1, 1>>>(out, 5);
  cudaFree(out);
}
