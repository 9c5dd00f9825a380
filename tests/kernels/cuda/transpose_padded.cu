// Transposition through a padded tile, for three element types and sizes that are no multiple of the tile.
#include "check.h"

constexpr int kTile = 32, kRows = 8;

template <class T> __global__ void transpose(const T* in, T* out, int width, int height) {
  __shared__ T tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <class T> void check(int width, int height) {
  std::vector<T> in(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = T(i % 251) - T(7);
  OnCard<T> from(in), to(in.size());
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<T><<<grid, dim3(kTile, kRows)>>>(from, to, width, height);
  CHECK(cudaGetLastError());
  const std::vector<T> got = to.fetch();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(got[x * height + y] == in[y * width + x]);
}

int main() {
  check<float>(64, 64);
  check<double>(77, 35);
  check<short>(33, 100);
  check<unsigned char>(1, 40);
  return 0;
}
