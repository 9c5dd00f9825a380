// A vector's memory is given to the kernel.
#include <vector>
__global__ void fill(int* data) {
  data[threadIdx.x] = 1;  // EXPECT host-pointer-in-kernel
}
int main() {
  std::vector<int> data(32);
  fill<<<1, 32>>>(data.data());
}
