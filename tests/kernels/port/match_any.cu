// Lanes that hold the same value or address, asked for by whole warps and by some of their lanes.
#include "check.h"

__device__ int claim(int* counter) {
  const unsigned same = __match_any_sync(0xffffffffu, (unsigned long long)counter);
  const int lane = threadIdx.x % 32, leader = __ffs(same) - 1;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(same));
  first = __shfl_sync(same, first, leader);
  return first + __popc(same & ((1u << lane) - 1));
}

__global__ void places(int* counters, const int* key, int* place, unsigned* some, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  place[i] = claim(counters + key[i]);
  unsigned same = 7;
  if (key[i] % 3 != 0) same = __match_any_sync(__activemask(), key[i] / 2);
  some[i] = same;
}

int main() {
  for (int blocks : {1, 3}) {
    const int n = blocks * 96, kinds = 9;
    const std::vector<int> key = integers(n, kinds);
    int *device_key = to_card(key), *counters = to_card(std::vector<int>(kinds, 0)), *place = to_card(std::vector<int>(n, -1));
    unsigned* some = to_card(std::vector<unsigned>(n, 0));
    places<<<blocks, 96>>>(counters, device_key, place, some, n);
    const std::vector<unsigned> masks = from_card(some, n);
    const std::vector<int> got = from_card(counters, kinds);
    CHECK(cudaFree(device_key));
    CHECK(cudaFree(place));  // which places are given to whom depends on the order of warps
    std::vector<int> wanted(kinds, 0);
    for (int i = 0; i < n; ++i) {
      ++wanted[key[i]];
      unsigned mask = 7;
      if (key[i] % 3 != 0) {
        mask = 0;
        for (int k = 0; k < 32; ++k) {
          const int other = key[i / 32 * 32 + k];
          if (other % 3 != 0 && other / 2 == key[i] / 2) mask |= 1u << k;
        }
      }
      expect(masks[i], mask, 0, "mask", i);
    }
    for (int k = 0; k < kinds; ++k) expect(got[k], wanted[k], 0, "count", k);
  }
  std::puts("right");
  return 0;
}
