// Boxes that overlap too much are dropped: 64-bit masks per pair of tiles, reduced on the host; __ffsll, __popcll.
#include "check.h"

constexpr int kTile = 64;

__host__ __device__ float overlap(const float4& a, const float4& b) {
  const float w = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f), h = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f);
  const float inter = w * h;
  return inter / ((a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - inter);
}
__global__ void masks_kernel(const float4* boxes, unsigned long long* masks, int* conflicts, int n, int tiles, float limit) {
  __shared__ float4 others[kTile];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile, count = min(n - column, kTile);
  if (threadIdx.x < count) others[threadIdx.x] = boxes[column + threadIdx.x];
  __syncthreads();
  const int i = row + threadIdx.x;
  if (i >= n) return;
  const float4 own = boxes[i];
  unsigned long long mask = 0;
  for (int j = 0; j < count; ++j)
    if (column + j > i && overlap(own, others[j]) > limit) mask |= 1ull << j;
  masks[i * tiles + blockIdx.x] = mask;
  if (mask != 0) {
    atomicAdd(conflicts, __popcll(mask));
    atomicMin(conflicts + 1, i * n + column + __ffsll(mask) - 1);
  }
}

int main() {
  const int n = 150, tiles = (n + kTile - 1) / kTile;
  Inputs inputs;
  std::vector<float4> boxes(n);
  for (float4& b : boxes) {
    const float x = inputs.unit() * 10, y = inputs.unit() * 10;
    b = {x, y, x + 3 + inputs.unit(), y + 3 + inputs.unit()};
  }
  OnCard<float4> card(boxes);
  OnCard<unsigned long long> masks(n * tiles);
  OnCard<int> conflicts(std::vector<int>{0, n * n});
  masks_kernel<<<dim3(tiles, tiles), kTile>>>(card, masks, conflicts, n, tiles, 0.3f);
  const std::vector<unsigned long long> got = masks.fetch();
  std::vector<char> kept(n, 1), wanted(n, 1);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; kept[i] && j < n; ++j)
      if (got[i * tiles + j / kTile] >> j % kTile & 1) kept[j] = 0;
  int pairs = 0, first = n * n;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      if (overlap(boxes[i], boxes[j]) <= 0.3f) continue;
      ++pairs, first = std::min(first, i * n + j);
      if (wanted[i]) wanted[j] = 0;
    }
  EXPECT(kept == wanted);
  EXPECT(conflicts.fetch() == std::vector<int>({pairs, first}));
  return 0;
}
