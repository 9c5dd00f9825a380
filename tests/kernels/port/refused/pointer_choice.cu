// refused: different arrays
__global__ void k(float* a, float* b, int n) {
  float* p = n > 3 ? a : b;
  p[threadIdx.x] = 1;
}

int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
