// Points that leave a loop after different numbers of rounds; double precision; packed colours as uchar4; two-dimensional launch.
#include "check.h"

__host__ __device__ int rounds_of(double cx, double cy, int most) {
  double x = 0, y = 0;
  int n = 0;
  while (n < most && x * x + y * y <= 4) {
    const double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++n;
  }
  return n;
}
__global__ void draw(uchar4* image, int width, int height, double step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int n = rounds_of(-2.0 + x * step, -1.0 + y * step, 60);
  image[y * width + x] = make_uchar4(n * 4 % 256, n * 7 % 256, n * 11 % 256, n == 60 ? 0 : 255);
}

int main() {
  const int width = 48, height = 32;
  OnCard<uchar4> image(width * height);
  draw<<<dim3(3, 4), dim3(16, 8)>>>(image, width, height, 0.0625);
  const std::vector<uchar4> got = image.fetch();
  int inside = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int n = rounds_of(-2.0 + x * 0.0625, -1.0 + y * 0.0625, 60);
      const uchar4 p = got[y * width + x];
      EXPECT(p.x == n * 4 % 256 && p.y == n * 7 % 256 && p.z == n * 11 % 256 && p.w == (n == 60 ? 0 : 255));
      inside += n == 60;
    }
  EXPECT(inside > 50 && inside < width * height / 2);
  return 0;
}
