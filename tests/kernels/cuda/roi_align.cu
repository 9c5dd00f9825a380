// Regions of a feature map sampled bilinearly into a grid and averaged; gradients scattered back by atomics; a template over the type.
#include "check.h"

template <class T> __host__ __device__ T sample(const T* map, int height, int width, T y, T x, int* at, T* weight) {
  for (int k = 0; k < 4; ++k) at[k] = 0, weight[k] = 0;
  if (y < -1 || y > height || x < -1 || x > width) return 0;
  y = y < 0 ? 0 : y, x = x < 0 ? 0 : x;
  int y0 = int(y), x0 = int(x), y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= height - 1) y0 = y1 = height - 1, y = T(y0);
  if (x0 >= width - 1) x0 = x1 = width - 1, x = T(x0);
  const T ly = y - y0, lx = x - x0;
  at[0] = y0 * width + x0, at[1] = y0 * width + x1, at[2] = y1 * width + x0, at[3] = y1 * width + x1;
  weight[0] = (1 - ly) * (1 - lx), weight[1] = (1 - ly) * lx, weight[2] = ly * (1 - lx), weight[3] = ly * lx;
  T sum = 0;
  for (int k = 0; k < 4; ++k) sum += weight[k] * map[at[k]];
  return sum;
}
template <class T> __host__ __device__ void pool_one(const T* map, const T* roi, int height, int width, int bins, int i, T* out, T* gradient) {
  const int by = i / bins % bins, bx = i % bins;
  const T bin_h = (roi[3] - roi[1]) / bins, bin_w = (roi[2] - roi[0]) / bins;
  T sum = 0;
  for (int s = 0; s < 4; ++s) {
    int at[4];
    T weight[4];
    sum += sample(map, height, width, roi[1] + bin_h * (by + (s / 2 + T(0.5)) / 2), roi[0] + bin_w * (bx + (s % 2 + T(0.5)) / 2), at, weight);
    for (int k = 0; k < 4; ++k) {
#ifdef __CUDA_ARCH__
      atomicAdd(&gradient[at[k]], weight[k] / 4);
#else
      gradient[at[k]] += weight[k] / 4;
#endif
    }
  }
  out[i] = sum / 4;
}
template <class T> __global__ void pool(const T* map, const T* rois, int height, int width, int bins, int count, T* out, T* gradient) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * bins * bins) pool_one(map, rois + i / (bins * bins) * 4, height, width, bins, i, out, gradient);
}
template <class T> void check(double tolerance) {
  const int height = 14, width = 17, bins = 3, count = 9;
  Inputs inputs;
  std::vector<T> map(height * width), rois(count * 4), out(count * bins * bins), gradient(map.size(), T(0));
  for (T& v : map) v = inputs.unit();
  for (int r = 0; r < count; ++r) {
    rois[r * 4] = inputs.unit() * 10 + 5, rois[r * 4 + 1] = inputs.unit() * 8 + 4;
    rois[r * 4 + 2] = rois[r * 4] + 6 + inputs.unit(), rois[r * 4 + 3] = rois[r * 4 + 1] + 5 + inputs.unit();
  }
  for (int i = 0; i < count * bins * bins; ++i) pool_one(map.data(), rois.data() + i / (bins * bins) * 4, height, width, bins, i, out.data(), gradient.data());
  OnCard<T> cm(map), cr(rois), co(out.size()), cg(map.size());
  cg.zero();
  pool<T><<<3, 32>>>(cm, cr, height, width, bins, count, co, cg);
  const std::vector<T> got = co.fetch(), slope = cg.fetch();
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT(std::fabs(double(got[i] - out[i])) < tolerance);
  for (std::size_t i = 0; i < map.size(); ++i) EXPECT(std::fabs(double(slope[i] - gradient[i])) < tolerance);
}
int main() {
  check<float>(1e-5);
  check<double>(1e-12);
  return 0;
}
