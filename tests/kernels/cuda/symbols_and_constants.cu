// __constant__ and __device__ variables from the host's side, managed variables, static kernels, kernels in namespaces.
#include <cstring>

#include "check.h"

__constant__ float c_weights[4];
__device__ int d_counter = 7;
__device__ float d_table[8];
__managed__ int m_value = 3;

namespace {
static __global__ void use(float* out) {
  const int t = threadIdx.x;
  out[t] = c_weights[t % 4] * d_table[t];
  if (t == 0) {
    d_counter += 1;
    m_value *= 2;
  }
}
}  // namespace

struct Scale {
  float by;
  __host__ __device__ float operator()(float x) const { return x * by; }
};
struct Nothing {
  __device__ float operator()(float x) const { return -x; }
};
struct Big {
  double values[6];
  char letter;
};

template <class F>
__global__ void apply(F function, float* data, short add, bool negate, Big big, Nothing nothing, long long last) {
  float value = function(data[threadIdx.x]) + add;
  if (negate) value = nothing(value);
  data[threadIdx.x] = value + float(big.values[5]) + float(big.letter) + float(last);
}

int main() {
  const float weights[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(c_weights, weights, sizeof weights));
  float table[8];
  for (int i = 0; i < 8; ++i) table[i] = float(i);
  float* address = nullptr;
  CHECK(cudaGetSymbolAddress((void**)&address, d_table));
  CHECK(cudaMemcpy(address, table, sizeof table, cudaMemcpyHostToDevice));
  size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, d_table));
  EXPECT(bytes == sizeof table);
  OnCard<float> out(8);
  use<<<1, 8>>>(out);
  CHECK(cudaDeviceSynchronize());
  EXPECT((out.fetch() == std::vector<float>{0, 2, 6, 12, 4, 10, 18, 28}));
  int counter = 0;
  CHECK(cudaMemcpyFromSymbol(&counter, d_counter, sizeof counter));
  EXPECT(counter == 8);
  EXPECT(m_value == 6);
  Big big = {{0, 0, 0, 0, 0, 100}, 1};
  OnCard<float> data(std::vector<float>{1, 2, 3});
  apply<<<1, 3>>>(Scale{10}, data, short(5), true, big, Nothing(), 1000LL);
  EXPECT((data.fetch() == std::vector<float>{1101 - 15, 1101 - 25, 1101 - 35}));
  apply<<<1, 3>>>([] __device__(float x) { return x * 0; }, data, short(1), false, big, Nothing(), 0LL);
  EXPECT((data.fetch() == std::vector<float>{102, 102, 102}));
}
