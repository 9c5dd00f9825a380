// Histogram equalisation of an image in pitched memory: uchar4 pixels, integer luma, a scan of the histogram in one block.
#include "check.h"

__global__ void histogram(const uchar4* image, std::size_t pitch, int width, int height, unsigned* bins) {
  __shared__ unsigned own[256];
  const int rank = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = rank; i < 256; i += blockDim.x * blockDim.y) own[i] = 0;
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    const uchar4 p = *reinterpret_cast<const uchar4*>(reinterpret_cast<const char*>(image) + y * pitch + x * sizeof(uchar4));
    atomicAdd(&own[(p.x * 77 + p.y * 150 + p.z * 29) >> 8], 1u);
  }
  __syncthreads();
  for (int i = rank; i < 256; i += blockDim.x * blockDim.y)
    if (own[i] != 0) atomicAdd(&bins[i], own[i]);
}
__global__ void accumulate(const unsigned* bins, unsigned char* table, unsigned pixels) {
  __shared__ unsigned sums[2][256];
  int from = 0;
  sums[0][threadIdx.x] = bins[threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2, from ^= 1) {
    sums[from ^ 1][threadIdx.x] = sums[from][threadIdx.x] + (threadIdx.x >= step ? sums[from][threadIdx.x - step] : 0);
    __syncthreads();
  }
  table[threadIdx.x] = static_cast<unsigned char>(sums[from][threadIdx.x] * 255 / pixels);
}

int main() {
  const int width = 37, height = 21;
  std::vector<uchar4> image(width * height);
  Inputs inputs;
  std::vector<unsigned> bins(256, 0), sums(256);
  for (uchar4& p : image) {
    p = {(unsigned char)(inputs.next() % 90), (unsigned char)(inputs.next() % 120), (unsigned char)(inputs.next() % 256), 255};
    ++bins[(p.x * 77 + p.y * 150 + p.z * 29) >> 8];
  }
  uchar4* card;
  std::size_t pitch;
  CHECK(cudaMallocPitch(&card, &pitch, width * sizeof(uchar4), height));
  EXPECT(pitch >= width * sizeof(uchar4));
  CHECK(cudaMemcpy2D(card, pitch, image.data(), width * sizeof(uchar4), width * sizeof(uchar4), height, cudaMemcpyHostToDevice));
  OnCard<unsigned> counts(256);
  OnCard<unsigned char> table(256);
  counts.zero();
  histogram<<<dim3(3, 3), dim3(16, 8)>>>(card, pitch, width, height, counts);
  accumulate<<<1, 256>>>(counts, table, width * height);
  EXPECT(counts.fetch() == bins);
  const std::vector<unsigned char> got = table.fetch();
  unsigned sum = 0;
  for (int i = 0; i < 256; ++i) EXPECT(got[i] == (sum += bins[i]) * 255 / (width * height));
  CHECK(cudaFree(card));
  return 0;
}
