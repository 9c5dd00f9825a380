// Votes, ballots, match, reductions and shuffles of every kind, in whole and partial warps and under divergence.
#include "check.h"

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __ballot_sync(0xffffffff, lane % 3 == 0);
  out[32 + lane] = __any_sync(0xffffffff, lane == 31);
  out[64 + lane] = __all_sync(0xffffffff, lane < 31);
  out[96 + lane] = __match_any_sync(0xffffffff, lane / 4);
  int all;
  out[128 + lane] = __match_all_sync(0xffffffff, 7, &all) == 0xffffffff && all;
  if (lane % 2 == 0)
    out[160 + lane] = __ballot_sync(0x55555555, lane >= 16);
  else
    out[160 + lane] = __ballot_sync(0xaaaaaaaa, lane < 16);
  out[192 + lane] = __reduce_add_sync(0xffffffff, lane);
  out[224 + lane] = unsigned(__reduce_min_sync(0xffffffff, lane - 5));
  out[256 + lane] = __reduce_xor_sync(0xffffffff, unsigned(lane));
}

__global__ void shuffles(int* out, double* wide) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_sync(0xffffffff, lane * 10, 5);
  out[32 + lane] = __shfl_up_sync(0xffffffff, lane, 3);
  out[64 + lane] = __shfl_down_sync(0xffffffff, lane, 3, 8);
  out[96 + lane] = __shfl_xor_sync(0xffffffff, lane, 9);
  out[128 + lane] = __shfl_sync(0xffffffff, lane, -1, 16);
  wide[lane] = __shfl_down_sync(0xffffffff, lane + 0.5, 16);
}

__global__ void partial(int* out) {
  int value = threadIdx.x;
  for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffff, value, offset);
  out[threadIdx.x] = value;
}

__global__ void count_block(int* out, int n) {
  const bool in = int(threadIdx.x) < n;
  const int count = __syncthreads_count(in), all = __syncthreads_and(in), any = __syncthreads_or(!in);
  if (threadIdx.x == 0) out[0] = count, out[1] = all != 0, out[2] = any != 0;
}

int main() {
  OnCard<unsigned> v(288);
  votes<<<1, 32>>>(v);
  std::vector<unsigned> got = v.fetch();
  unsigned thirds = 0;
  for (int lane = 0; lane < 32; lane += 3) thirds |= 1u << lane;
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT(got[lane] == thirds && got[32 + lane] == 1 && got[64 + lane] == 0 && got[128 + lane] == 1);
    EXPECT(got[96 + lane] == 0xfu << (lane / 4 * 4));
    EXPECT(got[160 + lane] == (lane % 2 == 0 ? 0x55550000u : 0x0000aaaau));
    EXPECT(got[192 + lane] == 496 && int(got[224 + lane]) == -5 && got[256 + lane] == 0);
  }
  OnCard<int> s(160);
  OnCard<double> wide(32);
  shuffles<<<1, 32>>>(s, wide);
  std::vector<int> shuffled = s.fetch();
  std::vector<double> wides = wide.fetch();
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT(shuffled[lane] == 50);
    EXPECT(shuffled[32 + lane] == (lane >= 3 ? lane - 3 : lane));
    EXPECT(shuffled[64 + lane] == (lane % 8 + 3 < 8 ? lane + 3 : lane));
    EXPECT(shuffled[96 + lane] == (lane ^ 9));
    EXPECT(shuffled[128 + lane] == lane / 16 * 16 + 15);
    EXPECT(wides[lane] == (lane < 16 ? lane + 16.5 : lane + 0.5));
  }
  OnCard<int> p(16);
  partial<<<1, 16>>>(p);
  for (int value : p.fetch()) EXPECT(value == 120);
  OnCard<int> c(3);
  count_block<<<1, 100>>>(c, 33);
  EXPECT((c.fetch() == std::vector<int>{33, 0, 1}));
}
