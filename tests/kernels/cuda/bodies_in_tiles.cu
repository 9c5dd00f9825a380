// Gravity among bodies, a tile of positions in shared memory at a time: float4 and float3, rsqrtf, launch bounds, a fast and a plain form.
#include "check.h"

constexpr int kBlock = 64;
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }

template <bool kFast> __device__ float3 pull(float4 a, float4 b) {
  const float3 d = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  const float square = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
  const float inverse = kFast ? __frsqrt_rn(square) : rsqrtf(square), strength = b.w * inverse * inverse * inverse;
  return make_float3(d.x * strength, d.y * strength, d.z * strength);
}
template <bool kFast> __global__ void __launch_bounds__(kBlock, 4) forces(const float4* bodies, float3* out, int n) {
  __shared__ float4 tile[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += kBlock) {
    tile[threadIdx.x] = start + threadIdx.x < n ? bodies[start + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kBlock; ++j) sum = sum + pull<kFast>(own, tile[j]);
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}

int main() {
  const int n = 150;
  Inputs inputs;
  std::vector<float4> bodies(n);
  for (float4& b : bodies) b = {inputs.unit(), inputs.unit(), inputs.unit(), std::fabs(inputs.unit())};
  OnCard<float4> from(bodies);
  OnCard<float3> to(n);
  for (bool fast : {false, true}) {
    if (fast) forces<true><<<3, kBlock>>>(from, to, n);
    else forces<false><<<3, kBlock>>>(from, to, n);
    const std::vector<float3> got = to.fetch();
    for (int i = 0; i < n; ++i) {
      double x = 0, y = 0, z = 0;
      for (const float4& b : bodies) {
        const double dx = b.x - bodies[i].x, dy = b.y - bodies[i].y, dz = b.z - bodies[i].z;
        const double s = b.w / std::pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
        x += dx * s, y += dy * s, z += dz * s;
      }
      EXPECT(std::fabs(got[i].x - x) < 2e-3 && std::fabs(got[i].y - y) < 2e-3 && std::fabs(got[i].z - z) < 2e-3);
    }
  }
  return 0;
}
