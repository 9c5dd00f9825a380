// Barriers that count: __syncthreads_count, _or, _and in a search that ends when nobody improves; blocks in three dimensions.
#include "check.h"

__global__ void settle(int* values, int* rounds, int n) {
  __shared__ int own[96];
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  own[t] = values[blockIdx.x * n + t];
  __syncthreads();
  int round = 0;
  for (;; ++round) {
    const int next = t == 0 ? own[0] : max(own[t], own[t - 1]);
    const int changes = next != own[t];
    if (!__syncthreads_or(changes)) break;
    own[t] = next;
    __syncthreads();
  }
  const int big = __syncthreads_count(own[t] > 500), all = __syncthreads_and(own[t] >= 0);
  values[blockIdx.x * n + t] = own[t];
  if (t == 0) rounds[blockIdx.x * 3] = round, rounds[blockIdx.x * 3 + 1] = big, rounds[blockIdx.x * 3 + 2] = all;
}

int main() {
  const int n = 96;
  std::vector<int> values = Inputs().ints(2 * n, 1000);
  values[100] = -5, values[96] = -7;
  OnCard<int> card(values), rounds(6);
  settle<<<2, dim3(8, 4, 3)>>>(card, rounds, n);
  const std::vector<int> got = card.fetch(), told = rounds.fetch();
  for (int b = 0; b < 2; ++b) {
    int most = values[b * n], big = 0, longest = 0, source = 0, all = 1;
    for (int i = 0; i < n; ++i) {
      if (values[b * n + i] >= most) most = values[b * n + i], source = i;
      longest = std::max(longest, i - source);
      EXPECT(got[b * n + i] == most);
      big += most > 500, all &= most >= 0;
    }
    EXPECT(told[b * 3] == longest && told[b * 3 + 1] == big && told[b * 3 + 2] == all);
  }
  return 0;
}
