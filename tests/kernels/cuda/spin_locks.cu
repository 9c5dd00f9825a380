// A lock taken lane by lane, a ticket passed from block to block, a producer and a consumer in one grid: threads that wait for others.
#include "check.h"

__device__ int g_lock = 0;
__device__ volatile int g_turn = 0;

__global__ void locked(int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&g_lock, 0, 1) == 0) {
      __threadfence();
      *total += 1;
      __threadfence();
      atomicExch(&g_lock, 0);
      done = true;
    }
  }
}

__global__ void in_turn(int* order) {
  if (threadIdx.x == 0) {
    while (g_turn != int(gridDim.x - 1 - blockIdx.x)) {}
    __threadfence();
    order[gridDim.x - 1 - blockIdx.x] = blockIdx.x;
    __threadfence();
    g_turn = g_turn + 1;
  }
}

int main() {
  OnCard<int> total(1), order(20);
  total.zero();
  locked<<<3, 64>>>(total);
  EXPECT(total.fetch()[0] == 192);
  in_turn<<<20, 32>>>(order);
  std::vector<int> got = order.fetch();
  for (int i = 0; i < 20; ++i) EXPECT(got[i] == 19 - i);
}
