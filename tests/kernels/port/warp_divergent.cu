// Warp operations in control that differs from thread to thread: halves of a warp, loops of different length, votes that end them.
#include "check.h"

__global__ void halves(const int* in, int* out) {
  const int t = threadIdx.x, lane = t % 32;
  int value = in[blockIdx.x * blockDim.x + t];
  int result = 0;
  if (lane < 16 && value % 2 == 0) result = 5;
  if (lane % 8 < 4) {
    result += __shfl_xor_sync(0x0f0f0f0fu, value, 1);
    result += 1000 * __popc(__ballot_sync(0x0f0f0f0fu, value > 50));
  } else {
    result -= value;
  }
  out[blockIdx.x * blockDim.x + t] = result;
}

__global__ void turns(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = in[i] % 7, rounds = 0, seen = 0;
  while (true) {
    const unsigned alive = __ballot_sync(0xffffffffu, left > 0);
    if (alive == 0) break;
    if (left > 0) {
      --left;
      seen += __popc(alive);
    }
    ++rounds;
  }
  out[i] = 100 * rounds + seen;
}

int main() {
  const int n = 256;
  const std::vector<int> in = integers(n, 100);
  int* from = to_card(in);
  int* first = to_card(std::vector<int>(n, -1));
  int* second = to_card(std::vector<int>(n, -1));
  halves<<<n / 64, 64>>>(from, first);
  turns<<<n / 128, 128>>>(from, second);
  const std::vector<int> a = from_card(first, n), b = from_card(second, n);
  for (int warp = 0; warp < n; warp += 32) {
    int above = 0, longest = 0;
    for (int lane = 0; lane < 32; ++lane) {
      above += lane % 8 < 4 && in[warp + lane] > 50;
      longest = std::max(longest, in[warp + lane] % 7);
    }
    for (int lane = 0; lane < 32; ++lane) {
      const int i = warp + lane, base = lane < 16 && in[i] % 2 == 0 ? 5 : 0;
      expect(a[i], lane % 8 < 4 ? base + in[warp + (lane ^ 1)] + 1000 * above : base - in[i], 0, "half", i);
      int seen = 0;
      for (int round = 0; round < in[i] % 7; ++round) {
        for (int other = 0; other < 32; ++other) seen += in[warp + other] % 7 > round;
      }
      expect(b[i], 100 * longest + seen, 0, "turn", i);
    }
  }
  CHECK(cudaFree(from));
}
