// Integers: bits, shifts, division, unsigned wrap, popcount, minimum and maximum.
#include <algorithm>

#include "check.h"

__global__ void mix(unsigned* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned h = static_cast<unsigned>(from[i]);
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    to[i] = (h & 0xff00ffu) + __popc(h) + static_cast<unsigned>(max(from[i] / 7, from[i] % 5));
  }
}

int main() {
  const int n = 1025;
  const std::vector<int> in = integers(n, 1 << 23);
  int* from = to_card(in);
  unsigned* to = to_card(std::vector<unsigned>(n));
  mix<<<(n + 255) / 256, 256>>>(to, from, n);
  const std::vector<unsigned> got = from_card(to, n);
  CHECK(cudaFree(from));
  for (int i = 0; i < n; ++i) {
    unsigned h = static_cast<unsigned>(in[i]);
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    const unsigned wanted = (h & 0xff00ffu) + __builtin_popcount(h) + static_cast<unsigned>(std::max(in[i] / 7, in[i] % 5));
    if (got[i] != wanted) {
      std::printf("%d: got %u, wanted %u\n", i, got[i], wanted);
      return 1;
    }
  }
}
