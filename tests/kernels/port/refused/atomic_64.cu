// refused: width
__global__ void k(unsigned long long* to) { atomicAdd(to, 1ULL); }

int main() { k<<<1, 64>>>(nullptr); }
