// Arrays, textures and surfaces: storage, copies and the software sampler (CUDA programming guide, appendix on texture fetching).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/common/settings.h"
#include "starbridge/device_api.h"

struct cudaArray {
  cudaChannelFormatDesc format;
  std::size_t width, height, depth;
  unsigned flags;
  char* data;
  std::size_t texel_bytes() const { return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8; }
  std::size_t row_bytes() const { return width * texel_bytes(); }
  char* at(std::size_t x_bytes, std::size_t y, std::size_t z) const {
    return data + (z * std::max<std::size_t>(height, 1) + y) * row_bytes() + x_bytes;
  }
};

namespace starbridge::emulate::cuda {

namespace {

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
  cudaChannelFormatDesc format;
  const char* data = nullptr;
  std::size_t width = 0, height = 1, depth = 1, pitch = 0, slice = 0;
  int channels = 0, bits = 0;
};

// One channel of a texel, as a float (normalised when asked) or as the integer's value.
double channel(const Texture& texture, const char* texel, int number) {
  const char* at = texel + number * texture.bits / 8;
  if (texture.format.f == cudaChannelFormatKindFloat) {
    if (texture.bits == 32) {
      float value;
      std::memcpy(&value, at, 4);
      return value;
    }
    std::uint16_t raw;
    std::memcpy(&raw, at, 2);
    const int exponent = raw >> 10 & 31, mantissa = raw & 1023;
    const double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                             : exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                                              : std::ldexp(1024 + mantissa, exponent - 25);
    return (raw & 0x8000) != 0 ? -magnitude : magnitude;
  }
  std::int64_t value = 0;
  if (texture.format.f == cudaChannelFormatKindSigned) {
    if (texture.bits == 8) value = *reinterpret_cast<const signed char*>(at);
    if (texture.bits == 16) {
      std::int16_t v;
      std::memcpy(&v, at, 2);
      value = v;
    }
    if (texture.bits == 32) {
      std::int32_t v;
      std::memcpy(&v, at, 4);
      value = v;
    }
  } else {
    if (texture.bits == 8) value = *reinterpret_cast<const unsigned char*>(at);
    if (texture.bits == 16) {
      std::uint16_t v;
      std::memcpy(&v, at, 2);
      value = v;
    }
    if (texture.bits == 32) {
      std::uint32_t v;
      std::memcpy(&v, at, 4);
      value = v;
    }
  }
  if (texture.description.readMode == cudaReadModeNormalizedFloat) {
    const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
    const double top = std::ldexp(1.0, texture.bits - (is_signed ? 1 : 0)) - 1;
    return std::max(static_cast<double>(value) / top, -1.0);
  }
  return static_cast<double>(value);
}

// The index after the address mode; -1: the border colour.
std::int64_t addressed(std::int64_t index, std::int64_t size, cudaTextureAddressMode mode, bool normalised) {
  if (index >= 0 && index < size) return index;
  if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) mode = cudaAddressModeClamp;
  switch (mode) {
    case cudaAddressModeWrap:
      return (index % size + size) % size;
    case cudaAddressModeMirror: {
      const std::int64_t period = (index % (2 * size) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case cudaAddressModeBorder:
      return -1;
    case cudaAddressModeClamp:
      break;
  }
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

void texel_at(const Texture& t, std::int64_t x, std::int64_t y, std::int64_t z, int dimensions, double* out) {
  const auto& modes = t.description.addressMode;
  const bool normalised = t.description.normalizedCoords != 0;
  x = addressed(x, static_cast<std::int64_t>(t.width), modes[0], normalised);
  y = dimensions < 2 ? y : addressed(y, static_cast<std::int64_t>(t.height), modes[1], normalised);
  z = dimensions < 3 ? z : addressed(z, static_cast<std::int64_t>(t.depth), modes[2], normalised);
  const bool is_border = x < 0 || y < 0 || z < 0;
  const char* texel = t.data + static_cast<std::size_t>(z) * t.slice + static_cast<std::size_t>(y) * t.pitch +
                      static_cast<std::size_t>(x) * static_cast<std::size_t>(t.channels * t.bits / 8);
  for (int c = 0; c < 4; ++c) {
    if (is_border)
      out[c] = t.description.borderColor[c];
    else
      out[c] = c < t.channels ? channel(t, texel, c) : 0.0;
  }
}

// Weights of linear filtering have 8 bits behind the point, as on the card.
double weight(double fraction) { return std::floor(fraction * 256 + 0.5) / 256; }

void sample(const Texture& t, double x, double y, double z, int dimensions, std::int64_t layer, double* out) {
  if (t.description.normalizedCoords != 0) {
    x *= static_cast<double>(t.width);
    if (dimensions >= 2) y *= static_cast<double>(t.height);
    if (dimensions >= 3) z *= static_cast<double>(t.depth);
  }
  if (t.description.filterMode != cudaFilterModeLinear) {
    texel_at(t, static_cast<std::int64_t>(std::floor(x)), dimensions < 2 ? 0 : static_cast<std::int64_t>(std::floor(y)),
             dimensions < 3 ? layer : static_cast<std::int64_t>(std::floor(z)), dimensions, out);
    return;
  }
  const double fx = x - 0.5, fy = dimensions < 2 ? 0 : y - 0.5, fz = dimensions < 3 ? 0 : z - 0.5;
  const double a = weight(fx - std::floor(fx)), b = weight(fy - std::floor(fy)), c = weight(fz - std::floor(fz));
  double sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < (dimensions < 3 ? 1 : 2); ++k)
    for (int j = 0; j < (dimensions < 2 ? 1 : 2); ++j)
      for (int i = 0; i < 2; ++i) {
        double texel[4];
        texel_at(t, static_cast<std::int64_t>(std::floor(fx)) + i, static_cast<std::int64_t>(std::floor(fy)) + j,
                 dimensions < 3 ? layer : static_cast<std::int64_t>(std::floor(fz)) + k, dimensions, texel);
        const double w = (i != 0 ? a : 1 - a) *
                         (dimensions < 2 ? 1
                          : j != 0       ? b
                                         : 1 - b) *
                         (dimensions < 3 ? 1
                          : k != 0       ? c
                                         : 1 - c);
        for (int n = 0; n < 4; ++n) sum[n] += w * texel[n];
      }
  std::copy(sum, sum + 4, out);
}

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags) {
  if (array == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  auto made = new cudaArray{*format, extent.width, extent.height, extent.depth, flags, nullptr};
  const std::size_t bytes = made->row_bytes() * std::max<std::size_t>(extent.height, 1) * std::max<std::size_t>(extent.depth, 1);
  made->data = static_cast<char*>(allocate(Space::kDevice, bytes, nullptr));
  if (made->data == nullptr) {
    delete made;
    return cudaErrorMemoryAllocation;
  }
  *array = made;
  return cudaSuccess;
}

cudaError_t copy_box(const cudaMemcpy3DParms& p, const void* place) {
  const std::size_t texel = p.srcArray != nullptr   ? p.srcArray->texel_bytes()
                            : p.dstArray != nullptr ? p.dstArray->texel_bytes()
                                                    : 1;
  const std::size_t width = p.extent.width * texel;
  for (std::size_t z = 0; z < p.extent.depth; ++z) {
    for (std::size_t y = 0; y < p.extent.height; ++y) {
      const char* from = p.srcArray != nullptr
                             ? p.srcArray->at(p.srcPos.x * texel, p.srcPos.y + y, p.srcPos.z + z)
                             : static_cast<const char*>(p.srcPtr.ptr) +
                                   ((p.srcPos.z + z) * p.srcPtr.ysize + p.srcPos.y + y) * p.srcPtr.pitch + p.srcPos.x;
      char* to = p.dstArray != nullptr ? p.dstArray->at(p.dstPos.x * texel, p.dstPos.y + y, p.dstPos.z + z)
                                       : static_cast<char*>(p.dstPtr.ptr) +
                                             ((p.dstPos.z + z) * p.dstPtr.ysize + p.dstPos.y + y) * p.dstPtr.pitch + p.dstPos.x;
      if (cudaError_t error = copy(to, from, width, p.kind, place); error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned int flags) {
  return give(make_array(array, format, {width, height, 0}, flags));
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned int flags) {
  return give(make_array(array, format, extent, flags));
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return give(cudaSuccess);
  CardOpen open;
  cudaError_t error = release(array->data, Space::kDevice, SB_PLACE);
  delete array;
  return give(error);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
                                cudaMemcpyKind kind) {
  if (to == nullptr || x + width > to->row_bytes() || y + height > std::max<size_t>(to->height, 1))
    return give(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; row < height && error == cudaSuccess; ++row)
    error = copy(to->at(x, y + row, 0), static_cast<const char*>(from) + row * pitch, width, kind, SB_PLACE);
  return give(error);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  if (from == nullptr || x + width > from->row_bytes() || y + height > std::max<size_t>(from->height, 1))
    return give(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; row < height && error == cudaSuccess; ++row)
    error = copy(static_cast<char*>(to) + row * pitch, from->at(x, y + row, 0), width, kind, SB_PLACE);
  return give(error);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (to == nullptr) return give(cudaErrorInvalidValue);
  return give(copy(to->at(x, y, 0), from, bytes, kind, SB_PLACE));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
  if (from == nullptr) return give(cudaErrorInvalidValue);
  return give(copy(to, from->at(x, y, 0), bytes, kind, SB_PLACE));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return give(cudaErrorInvalidValue);
  return give(copy_box(*parameters, SB_PLACE));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t) { return cudaMemcpy3D(parameters); }

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc*) {
  if (object == nullptr || resource == nullptr || description == nullptr) return give(cudaErrorInvalidValue);
  Texture t;
  t.resource = *resource;
  t.description = *description;
  switch (resource->resType) {
    case cudaResourceTypeArray: {
      const cudaArray* array = resource->res.array.array;
      t.format = array->format;
      t.data = array->data;
      t.width = array->width;
      t.height = std::max<std::size_t>(array->height, 1);
      t.depth = std::max<std::size_t>(array->depth, 1);
      t.pitch = array->row_bytes();
      break;
    }
    case cudaResourceTypeLinear:
      t.format = resource->res.linear.desc;
      t.data = static_cast<const char*>(resource->res.linear.devPtr);
      t.width =
          resource->res.linear.sizeInBytes * 8 / static_cast<std::size_t>(t.format.x + t.format.y + t.format.z + t.format.w);
      break;
    case cudaResourceTypePitch2D:
      t.format = resource->res.pitch2D.desc;
      t.data = static_cast<const char*>(resource->res.pitch2D.devPtr);
      t.width = resource->res.pitch2D.width;
      t.height = resource->res.pitch2D.height;
      t.pitch = resource->res.pitch2D.pitchInBytes;
      break;
    case cudaResourceTypeMipmappedArray:
      return give(cudaErrorNotSupported);
  }
  if (t.format.f != cudaChannelFormatKindFloat && description->readMode == cudaReadModeElementType &&
      description->filterMode == cudaFilterModeLinear)
    return give(cudaErrorInvalidFilterSetting);
  t.bits = t.format.x;
  t.channels = (t.format.x + t.format.y + t.format.z + t.format.w) / t.bits;
  t.slice = t.pitch * t.height;
  *object = reinterpret_cast<cudaTextureObject_t>(new Texture(t));
  return give(cudaSuccess);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete reinterpret_cast<Texture*>(object);
  return give(cudaSuccess);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) return give(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaSurfaceObject_t>(resource->res.array.array);
  return give(cudaSuccess);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return give(cudaSuccess); }
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }

void __sb_texture(unsigned long long object, float x, float y, float z, int dimensions, int layer, void* texel) {
  const Texture& t = *reinterpret_cast<const Texture*>(object);
  double value[4];
  if (dimensions == 0) {
    // tex1Dfetch: by whole index, never filtered; outside gives zero.
    if (layer < 0 || static_cast<std::size_t>(layer) >= t.width)
      std::fill(value, value + 4, 0.0);
    else
      texel_at(t, layer, 0, 0, 0, value);
  } else {
    sample(t, x, y, z, dimensions, layer, value);
  }
  const bool is_float = t.format.f == cudaChannelFormatKindFloat || t.description.readMode == cudaReadModeNormalizedFloat;
  for (int c = 0; c < 4; ++c) {
    if (is_float)
      static_cast<float*>(texel)[c] = static_cast<float>(value[c]);
    else
      static_cast<int*>(texel)[c] = static_cast<int>(static_cast<std::int64_t>(value[c]));
  }
}

void* __sb_surface(unsigned long long object, int x_bytes, int y, int z, int boundary, unsigned int bytes) {
  const cudaArray& array = *reinterpret_cast<const cudaArray*>(object);
  const auto width = static_cast<int>(array.row_bytes()), height = static_cast<int>(std::max<std::size_t>(array.height, 1));
  const auto depth = static_cast<int>(std::max<std::size_t>(array.depth, 1));
  if (x_bytes < 0 || x_bytes + static_cast<int>(bytes) > width || y < 0 || y >= height || z < 0 || z >= depth) {
    if (boundary == cudaBoundaryModeZero) return nullptr;
    if (boundary == cudaBoundaryModeTrap) {
      report_here("out-of-bounds", __builtin_return_address(0), "a surface access lies outside the array",
                  "表面访问超出数组范围");
      abort_launch(cudaErrorLaunchFailure);
      abandon_block();
    }
    x_bytes = std::clamp(x_bytes, 0, width - static_cast<int>(bytes));
    y = std::clamp(y, 0, height - 1);
    z = std::clamp(z, 0, depth - 1);
  }
  return array.at(static_cast<std::size_t>(x_bytes), static_cast<std::size_t>(y), static_cast<std::size_t>(z));
}
}
