// Threads return before barriers that the rest of the block meets, in a loop too, or after a store of their own.
#include <limits>

#include "check.h"

__global__ void smooth(const float* in, float* out, int n, int rounds) {
  __shared__ float row[128];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  row[t] = in[i];
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const float left = t > 0 ? row[t - 1] : row[t];
    __syncthreads();
    row[t] = 0.5f * (left + row[t]);
    __syncthreads();
  }
  out[i] = row[t];
}

// Those that return leave something for the others first.
__global__ void largest(const float* in, float* out, int n) {
  __shared__ float tops[128];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) {
    tops[t] = -std::numeric_limits<float>::max();
    return;
  }
  float top = in[i];
  for (int distance = 16; distance > 0; distance /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, distance));
  tops[t] = top;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < blockDim.x; ++k) top = fmaxf(top, tops[k]);
    tops[0] = top;
  }
  __syncthreads();
  out[i] = tops[0] - in[i];
}

int main() {
  const int n = 300, rounds = 3;
  std::vector<float> in = floats(n);
  float* from = to_card(in);
  float* to = to_card(std::vector<float>(n, 0.0f));
  smooth<<<3, 128>>>(from, to, n, rounds);
  const std::vector<float> out = from_card(to, n);
  for (int round = 0; round < rounds; ++round) {
    for (int i = n - 1; i >= 0; --i) in[i] = 0.5f * (in[i % 128 == 0 ? i : i - 1] + in[i]);
  }
  for (int i = 0; i < n; ++i) expect(out[i], in[i], 1e-6, "value", i);
  const int whole = 288;  // in whole warps, no whole block
  to = to_card(std::vector<float>(whole, 0.0f));
  largest<<<3, 128>>>(from, to, whole);
  const std::vector<float> below = from_card(to, whole);
  const std::vector<float> first = from_card(from, n);
  for (int block = 0; block < 3; ++block) {
    const int begin = block * 128, end = std::min(whole, begin + 128);
    const float top = *std::max_element(first.begin() + begin, first.begin() + end);
    for (int i = begin; i < end; ++i) expect(below[i], top - first[i], 0, "below", i);
  }
}
