// float4, a structure by value, a constant array, a device function with an early return, a switch.
#include "check.h"

struct Plan {
  int mode;
  float factor;
};
__constant__ float table[4];

__device__ float curve(float x, int mode) {
  if (x < 0) return -x;
  switch (mode) {
    case 0: return x * table[1];
    case 1: return x + table[2];
    default: break;
  }
  return table[3];
}

__global__ void shape(float4* to, const float4* from, Plan plan, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = from[i];
    v.x = curve(v.x, plan.mode) * plan.factor;
    v.y = curve(v.y, 2);
    v.z += v.w;
    to[i] = v;
  }
}

int main() {
  const int n = 301;
  const std::vector<float> in = floats(4 * n);
  const float values[4] = {0.5f, 2.0f, -1.0f, 7.0f};
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
  for (int mode = 0; mode < 2; ++mode) {
    float *from = to_card(in), *to = to_card(std::vector<float>(4 * n));
    shape<<<(n + 63) / 64, 64>>>((float4*)to, (const float4*)from, Plan{mode, 3.0f}, n);
    const std::vector<float> got = from_card(to, 4 * n);
    CHECK(cudaFree(from));
    for (int i = 0; i < n; ++i) {
      const float x = in[4 * i], y = in[4 * i + 1];
      expect(got[4 * i], 3 * (x < 0 ? -x : mode == 0 ? 2 * x : x - 1), 1e-6, "x", i);
      expect(got[4 * i + 1], y < 0 ? -y : 7, 1e-6, "y", i);
      expect(got[4 * i + 2], in[4 * i + 2] + in[4 * i + 3], 1e-6, "z", i);
      expect(got[4 * i + 3], in[4 * i + 3], 0, "w", i);
    }
  }
}
