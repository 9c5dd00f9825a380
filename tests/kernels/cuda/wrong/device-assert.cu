// An assertion that does not hold.
#include <cassert>
__global__ void check(int n) {
  assert(n > 3);  // EXPECT device-assert
}
int main() {
  check<<<1, 1>>>(2);
  return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1;
}
