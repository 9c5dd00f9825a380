// refused: PTX
__global__ void k(int* to) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  to[threadIdx.x] = lane;
}

int main() { k<<<1, 64>>>(nullptr); }
