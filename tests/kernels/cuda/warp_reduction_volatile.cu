// The old unrolled warp reduction, written as it must be since Volta: a read, __syncwarp, a write, __syncwarp.
#include "check.h"

__global__ void sum(const float* in, float* out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    float v = s[t];
    v += s[t + 32];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
      if (t < step) v += s[t + step];
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = v;
  }
}

int main() {
  std::vector<float> values(256);
  for (int i = 0; i < 256; ++i) values[i] = float(i);
  OnCard<float> in(values), out(4);
  sum<<<4, 64>>>(in, out);
  std::vector<float> got = out.fetch();
  for (int b = 0; b < 4; ++b) EXPECT(got[b] == (b * 128 + 63) * 32.0f);
}
