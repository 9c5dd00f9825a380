// refused: twice is handed on as a value
#include "../check.h"

__global__ void twice(float* data) { data[threadIdx.x] *= 2; }

template <class Kernel>
void launch(Kernel kernel, float* data) {
  void* arguments[] = {&data};
  CHECK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), arguments, 0, nullptr));
}

int main() {
  CHECK(cudaFuncSetCacheConfig(twice, cudaFuncCachePreferL1));
  float* data = to_card(floats(32));
  twice<<<1, 32>>>(data);
  launch(twice, data);
  from_card(data, 32);
}
