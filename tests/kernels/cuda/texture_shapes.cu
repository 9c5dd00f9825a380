// Textures of one, two and three dimensions and in layers, with levels and slopes that change nothing without mip maps; surfaces of
// every shape; copies into arrays and out of them. The reference filters in double.
#include <algorithm>

#include "check.h"

constexpr int kWide = 5, kHigh = 4, kDeep = 3, kSamples = 24;

struct Point {
  float x, y, z;
};
__device__ __host__ inline Point point_of(int i) { return {i * 0.31f - 0.7f, i * 0.23f - 0.4f, i * 0.17f - 0.6f}; }

__global__ void sample_line(cudaTextureObject_t line, cudaTextureObject_t layers, float* out) {
  const int i = threadIdx.x;
  const float x = point_of(i).x;
  out[i * 5] = tex1D<float>(line, x);
  out[i * 5 + 1] = tex1DLod<float>(line, x, 0.0f);
  out[i * 5 + 2] = tex1DGrad<float>(line, x, 0.5f, 0.5f);
  out[i * 5 + 3] = tex1DLayered<float>(layers, x, i % kDeep);
  tex1D(&out[i * 5 + 4], line, x);
}
__global__ void sample_plane(cudaTextureObject_t plane, cudaTextureObject_t layers, float* out) {
  const int i = threadIdx.x;
  const Point p = point_of(i);
  out[i * 5] = tex2D<float>(plane, p.x, p.y);
  out[i * 5 + 1] = tex2DLod<float>(plane, p.x, p.y, 0.0f);
  out[i * 5 + 2] = tex2DGrad<float>(plane, p.x, p.y, make_float2(1, 0), make_float2(0, 1));
  out[i * 5 + 3] = tex2DLayered<float>(layers, p.x, p.y, i % kDeep);
  tex2D(&out[i * 5 + 4], plane, p.x, p.y);
}
__global__ void sample_space(cudaTextureObject_t space, float* out) {
  const int i = threadIdx.x;
  const Point p = point_of(i);
  out[i * 4] = tex3D<float>(space, p.x, p.y, p.z);
  out[i * 4 + 1] = tex3DLod<float>(space, p.x, p.y, p.z, 0.0f);
  out[i * 4 + 2] = tex3DGrad<float>(space, p.x, p.y, p.z, make_float4(1, 0, 0, 0), make_float4(0, 1, 0, 0));
  tex3D(&out[i * 4 + 3], space, p.x, p.y, p.z);
}
// Every texel changed in place, by its place; the one beside the edge is clamped or zero.
__global__ void change_line(cudaSurfaceObject_t line, float* beyond) {
  const int x = threadIdx.x;
  const float before = surf1Dread<float>(line, x * 4);
  surf1Dwrite(before + 100 * x, line, x * 4);
  if (x == 0) *beyond = surf1Dread<float>(line, kWide * 4, cudaBoundaryModeZero);
}
__global__ void change_plane(cudaSurfaceObject_t plane) {
  const int x = threadIdx.x, y = threadIdx.y;
  float other;
  surf2Dread(&other, plane, x * 4, y);
  surf2Dwrite(surf2Dread<float>(plane, x * 4, y) * 2 + other, plane, x * 4, y);
}
__global__ void change_space(cudaSurfaceObject_t space) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  surf3Dwrite(surf3Dread<float>(space, x * 4, y, z) - x - 10 * y - 100 * z, space, x * 4, y, z);
}

struct Image {
  int wide, high, deep;
  std::vector<float> texel;
  Image(int w, int h, int d) : wide(w), high(h), deep(d), texel(std::size_t(w) * h * d) {
    for (std::size_t i = 0; i < texel.size(); ++i) texel[i] = float(i * 7 % 23) - 9;
  }
  double at(int x, int y, int z) const {
    x = std::clamp(x, 0, wide - 1), y = std::clamp(y, 0, high - 1), z = std::clamp(z, 0, deep - 1);
    return texel[(std::size_t(z) * high + y) * wide + x];
  }
  // Texels are samples at their middles, weighed by the distance along each of the axes.
  double filtered(double x, double y, double z, int axes) const {
    const double at_x = x - 0.5, at_y = y - 0.5, at_z = z - 0.5;
    const int i = int(std::floor(at_x)), j = axes > 1 ? int(std::floor(at_y)) : 0, k = axes > 2 ? int(std::floor(at_z)) : int(z);
    double sum = 0;
    for (int corner = 0; corner < 1 << axes; ++corner) {
      const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
      double weight = dx != 0 ? at_x - i : 1 - (at_x - i);
      if (axes > 1) weight *= dy != 0 ? at_y - j : 1 - (at_y - j);
      if (axes > 2) weight *= dz != 0 ? at_z - k : 1 - (at_z - k);
      sum += weight * at(i + dx, j + dy, k + dz);
    }
    return sum;
  }
};

cudaArray_t array_of(const Image& image, cudaExtent extent, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(image.texel.data()), image.wide * 4, image.wide, image.high);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(image.wide, image.high, image.deep);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
cudaTextureObject_t texture_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc description = {};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}
void expect_near(float got, double wanted) { EXPECT(std::fabs(got - wanted) < 23.0 * 3 / 256); }  // weights have eight bits

int main() {
  const Image line(kWide, 1, 1), plane(kWide, kHigh, 1), space(kWide, kHigh, kDeep), line_layers(kWide, 1, kDeep);
  cudaArray_t line_array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&line_array, &format, kWide, 0, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpyToArray(line_array, 0, 0, line.texel.data(), kWide * 4, cudaMemcpyHostToDevice));
  const cudaArray_t plane_array = array_of(plane, make_cudaExtent(kWide, kHigh, 0), cudaArraySurfaceLoadStore);
  const cudaArray_t space_array = array_of(space, make_cudaExtent(kWide, kHigh, kDeep), cudaArraySurfaceLoadStore);
  const cudaArray_t line_layers_array = array_of(line_layers, make_cudaExtent(kWide, 0, kDeep), cudaArrayLayered);
  const cudaArray_t layers_array = array_of(space, make_cudaExtent(kWide, kHigh, kDeep), cudaArrayLayered);

  OnCard<float> out(kSamples * 5);
  const cudaTextureObject_t textures[] = {texture_of(line_array), texture_of(plane_array), texture_of(space_array),
                                          texture_of(line_layers_array), texture_of(layers_array)};
  sample_line<<<1, kSamples>>>(textures[0], textures[3], out);
  std::vector<float> got = out.fetch();
  for (int i = 0; i < kSamples; ++i) {
    const Point p = point_of(i);
    for (int k : {0, 1, 2, 4}) expect_near(got[i * 5 + k], line.filtered(p.x, 0, 0, 1));
    expect_near(got[i * 5 + 3], line_layers.filtered(p.x, 0, i % kDeep, 1));
  }
  sample_plane<<<1, kSamples>>>(textures[1], textures[4], out);
  got = out.fetch();
  for (int i = 0; i < kSamples; ++i) {
    const Point p = point_of(i);
    for (int k : {0, 1, 2, 4}) expect_near(got[i * 5 + k], plane.filtered(p.x, p.y, 0, 2));
    expect_near(got[i * 5 + 3], space.filtered(p.x, p.y, i % kDeep, 2));
  }
  sample_space<<<1, kSamples>>>(textures[2], out);
  got = out.fetch();
  for (int i = 0; i < kSamples; ++i) {
    const Point p = point_of(i);
    for (int k = 0; k < 4; ++k) expect_near(got[i * 4 + k], space.filtered(p.x, p.y, p.z, 3));
  }
  for (cudaTextureObject_t texture : textures) CHECK(cudaDestroyTextureObject(texture));

  cudaSurfaceObject_t surfaces[3];
  const cudaArray_t arrays[] = {line_array, plane_array, space_array};
  for (int i = 0; i < 3; ++i) {
    const cudaResourceDesc resource = resource_of(arrays[i]);
    CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  OnCard<float> beyond(std::vector<float>{5});
  change_line<<<1, kWide>>>(surfaces[0], beyond);
  change_plane<<<1, dim3(kWide, kHigh)>>>(surfaces[1]);
  change_space<<<1, dim3(kWide, kHigh, kDeep)>>>(surfaces[2]);
  CHECK(cudaDeviceSynchronize());
  EXPECT(beyond.fetch()[0] == 0);
  std::vector<float> changed(kWide);
  CHECK(cudaMemcpyFromArray(changed.data(), line_array, 0, 0, kWide * 4, cudaMemcpyDeviceToHost));
  for (int x = 0; x < kWide; ++x) EXPECT(changed[x] == line.texel[x] + 100 * x);
  changed.resize(kWide * kHigh);
  CHECK(cudaMemcpy2DFromArray(changed.data(), kWide * 4, plane_array, 0, 0, kWide * 4, kHigh, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWide * kHigh; ++i) EXPECT(changed[i] == plane.texel[i] * 3);
  changed.resize(kWide * kHigh * kDeep);
  cudaMemcpy3DParms back = {};
  back.srcArray = space_array;
  back.dstPtr = make_cudaPitchedPtr(changed.data(), kWide * 4, kWide, kHigh);
  back.extent = make_cudaExtent(kWide, kHigh, kDeep);
  back.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&back));
  for (int i = 0; i < kWide * kHigh * kDeep; ++i)
    EXPECT(changed[i] == space.texel[i] - i % kWide - 10 * (i / kWide % kHigh) - 100 * (i / kWide / kHigh));
  for (cudaSurfaceObject_t surface : surfaces) CHECK(cudaDestroySurfaceObject(surface));
  for (cudaArray_t array : {line_array, plane_array, space_array, line_layers_array, layers_array}) CHECK(cudaFreeArray(array));
}
