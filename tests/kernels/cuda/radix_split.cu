// A radix sort of one bit at a time inside a block: votes and population counts give each key its place.
#include "check.h"

__global__ void sort_block(unsigned* keys, int bits) {
  __shared__ unsigned own[256], zeros_of[8];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  own[t] = keys[blockIdx.x * 256 + t];
  __syncthreads();
  for (int bit = 0; bit < bits; ++bit) {
    const unsigned key = own[t], is_one = key >> bit & 1;
    const unsigned ones = __ballot_sync(0xffffffff, is_one), below = (1u << lane) - 1;
    if (lane == 0) zeros_of[warp] = 32 - __popc(ones);
    __syncthreads();
    unsigned zeros = 0, zeros_before = 0;
    for (unsigned w = 0; w < 8; ++w) {
      zeros += zeros_of[w];
      if (w < warp) zeros_before += zeros_of[w];
    }
    const unsigned rank_of_zero = zeros_before + __popc(~ones & below);
    own[is_one ? zeros + t - rank_of_zero : rank_of_zero] = key;
    __syncthreads();
  }
  keys[blockIdx.x * 256 + t] = own[t];
}

int main() {
  std::vector<unsigned> keys(512);
  Inputs inputs;
  for (unsigned& key : keys) key = inputs.next() % 4096;
  OnCard<unsigned> card(keys);
  sort_block<<<2, 256>>>(card, 12);
  std::sort(keys.begin(), keys.begin() + 256), std::sort(keys.begin() + 256, keys.end());
  EXPECT(card.fetch() == keys);
  return 0;
}
