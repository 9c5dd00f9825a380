// refused: NRAM
__global__ void k(float* to) {
  __shared__ float s[200 * 1024];
  s[threadIdx.x * 7] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x];
}

int main() { k<<<1, 64>>>(nullptr); }
