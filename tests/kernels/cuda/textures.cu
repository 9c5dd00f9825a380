// Textures: filtering, address modes, normalised coordinates, linear fetches; surfaces.
#include <algorithm>

#include "check.h"

__global__ void sample(cudaTextureObject_t object, float* out) {
  const float x = threadIdx.x * 0.5f - 1.0f;
  out[threadIdx.x] = tex2D<float>(object, x, 1.25f);
}
__global__ void fetch(cudaTextureObject_t object, int* out) { out[threadIdx.x] = tex1Dfetch<int>(object, threadIdx.x); }
__global__ void paint(cudaSurfaceObject_t object) { surf2Dwrite<float>(threadIdx.x * 10.0f + threadIdx.y, object, threadIdx.x * 4, threadIdx.y); }

int main() {
  const int width = 4, height = 3;
  std::vector<float> image(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = float(i * i);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  OnCard<float> out(12);
  sample<<<1, 12>>>(texture, out);
  std::vector<float> got = out.fetch();
  for (int t = 0; t < 12; ++t) {
    const double x = t * 0.5 - 1.0 - 0.5, y = 0.75;
    auto at = [&](int i, int j) { return double(image[std::clamp(j, 0, height - 1) * width + std::clamp(i, 0, width - 1)]); };
    const int i = int(std::floor(x)), j = 0;
    const double a = x - i, b = y - j;
    const double wanted = (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
    EXPECT(std::fabs(got[t] - wanted) < 0.5);
  }
  CHECK(cudaDestroyTextureObject(texture));

  OnCard<int> numbers(std::vector<int>{5, 6, 7});
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = numbers.data;
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  linear.res.linear.sizeInBytes = 3 * sizeof(int);
  cudaTextureDesc plain = {};
  CHECK(cudaCreateTextureObject(&texture, &linear, &plain, nullptr));
  OnCard<int> fetched(5);
  fetch<<<1, 5>>>(texture, fetched);
  EXPECT((fetched.fetch() == std::vector<int>{5, 6, 7, 0, 0}));
  CHECK(cudaDestroyTextureObject(texture));

  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  paint<<<1, dim3(width, height)>>>(surface);
  std::vector<float> painted(width * height);
  CHECK(cudaMemcpy2DFromArray(painted.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  EXPECT(painted[2 * width + 3] == 32);
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}
