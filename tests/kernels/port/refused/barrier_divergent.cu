// refused: barrier
__global__ void k(float* to) {
  __shared__ float s[64];
  s[threadIdx.x] = to[threadIdx.x];
  if (to[threadIdx.x] > 0) __syncthreads();
  to[threadIdx.x] = s[63 - threadIdx.x];
}

int main() { k<<<1, 64>>>(nullptr); }
