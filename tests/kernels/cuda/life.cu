// Conway's game of life on bytes with wrapped edges: a tile with its rim in shared memory, two buffers, generations on a stream.
#include "check.h"

constexpr int kSide = 16;

__global__ void generation(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[kSide + 2][kSide + 2];
  const int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
  for (int dy = threadIdx.y; dy < kSide + 2; dy += kSide)
    for (int dx = threadIdx.x; dx < kSide + 2; dx += kSide)
      tile[dy][dx] = in[(blockIdx.y * kSide + dy + height - 1) % height * width + (blockIdx.x * kSide + dx + width - 1) % width];
  __syncthreads();
  if (x >= width || y >= height) return;
  int around = -tile[threadIdx.y + 1][threadIdx.x + 1];
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) around += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[y * width + x] = around == 3 || (around == 2 && tile[threadIdx.y + 1][threadIdx.x + 1]);
}

int main() {
  const int width = 40, height = 32, generations = 6;
  Inputs inputs;
  std::vector<unsigned char> cells(width * height), next(cells.size());
  for (auto& c : cells) c = inputs.next() % 3 == 0;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  OnCard<unsigned char> a(cells), b(cells.size());
  unsigned char *from = a, *to = b;
  for (int g = 0; g < generations; ++g) {
    generation<<<dim3(3, 2), dim3(kSide, kSide), 0, stream>>>(from, to, width, height);
    std::swap(from, to);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int around = -cells[y * width + x];
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) around += cells[(y + dy + height) % height * width + (x + dx + width) % width];
        next[y * width + x] = around == 3 || (around == 2 && cells[y * width + x]);
      }
    cells = next;
  }
  CHECK(cudaMemcpyAsync(next.data(), from, next.size(), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(next == cells);
  CHECK(cudaStreamDestroy(stream));
  return 0;
}
