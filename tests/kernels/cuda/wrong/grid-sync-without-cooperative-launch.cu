// grid.sync() in a plain launch.
#include <cooperative_groups.h>
__global__ void phases() {
  cooperative_groups::this_grid().sync();  // EXPECT grid-sync-without-cooperative-launch
}
int main() {
  phases<<<2, 32>>>();
  return cudaDeviceSynchronize() == cudaSuccess;
}
