// Philox against its published test vectors; uniform and normal numbers by their moments.
#include <curand_kernel.h>

#include "check.h"

__global__ void vectors(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 4; ++i) out[i] = curand(&state);
  curand_init(~0ULL, ~0ULL, ~0ULL - 3, &state);
  state.ctr = uint4{~0u, ~0u, ~0u, ~0u};
  const uint4 last = sb::philox(state.ctr, state.key);
  out[4] = last.x, out[5] = last.y, out[6] = last.z, out[7] = last.w;
}

__global__ void moments(float* uniform, float* normal) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(42, i, 0, &state);
  uniform[i] = curand_uniform(&state);
  normal[i] = curand_normal(&state);
}

int main() {
  OnCard<unsigned> out(8);
  vectors<<<1, 1>>>(out);
  EXPECT((out.fetch() == std::vector<unsigned>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  const int count = 20000;
  OnCard<float> uniform(20224), normal(20224);
  moments<<<79, 256>>>(uniform, normal);
  double sum = 0, mean = 0, square = 0;
  std::vector<float> u = uniform.fetch(), n = normal.fetch();
  for (int i = 0; i < count; ++i) {
    EXPECT(u[i] > 0 && u[i] <= 1);
    sum += u[i], mean += n[i], square += double(n[i]) * n[i];
  }
  EXPECT(std::fabs(sum / count - 0.5) < 0.01 && std::fabs(mean / count) < 0.03 && std::fabs(square / count - 1) < 0.05);
}
