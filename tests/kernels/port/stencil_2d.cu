// Two-dimensional blocks without a barrier, neighbours, borders kept, a loop with continue and break per thread.
#include "check.h"

__global__ void blur(float* to, const float* from, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  int count = 0;
  for (int d = -2; d <= 2; ++d) {
    if (x + d < 0) continue;
    if (x + d >= width) break;
    sum += from[y * width + x + d];
    ++count;
  }
  to[y * width + x] = sum / count;
}

int main() {
  const int width = 45, height = 21;
  const std::vector<float> in = floats(width * height);
  float *from = to_card(in), *to = to_card(std::vector<float>(width * height));
  blur<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(to, from, width, height);
  const std::vector<float> got = from_card(to, width * height);
  CHECK(cudaFree(from));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      int count = 0;
      for (int d = -2; d <= 2; ++d)
        if (x + d >= 0 && x + d < width) sum += in[y * width + x + d], ++count;
      expect(got[y * width + x], sum / count, 1e-5, "to", y * width + x);
    }
}
