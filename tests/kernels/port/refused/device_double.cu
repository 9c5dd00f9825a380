// refused: double
__global__ void k(double* to) { to[threadIdx.x] *= 2; }

int main() { k<<<1, 64>>>(nullptr); }
