// Textures and surfaces read in software: addressing, filtering and normalisation as the programming guide's appendix defines them.
#pragma once

#include "starbridge/device_api.h"
#include "texture_types.h"
#include "vector_types.h"

namespace sb {
// How a texel of four words becomes the type asked for.
template <class T> struct Texel;
#define SB_TEXEL1(type, word)                                                              \
  template <> struct Texel<type> { static SB_MEMBER type from(const word* w) { return (type)w[0]; } typedef word Word; };
#define SB_TEXELS(scalar, vector, word)                                                                                               \
  SB_TEXEL1(scalar, word)                                                                                                             \
  template <> struct Texel<vector##1> { static SB_MEMBER vector##1 from(const word* w) { return {(scalar)w[0]}; } typedef word Word; };  \
  template <> struct Texel<vector##2> { static SB_MEMBER vector##2 from(const word* w) { return {(scalar)w[0], (scalar)w[1]}; } typedef word Word; }; \
  template <> struct Texel<vector##4> { static SB_MEMBER vector##4 from(const word* w) { return {(scalar)w[0], (scalar)w[1], (scalar)w[2], (scalar)w[3]}; } typedef word Word; };
SB_TEXELS(float, float, float) SB_TEXELS(int, int, int) SB_TEXELS(unsigned int, uint, int) SB_TEXELS(short, short, int)
SB_TEXELS(unsigned short, ushort, int) SB_TEXELS(signed char, char, int) SB_TEXELS(unsigned char, uchar, int)
SB_TEXEL1(char, int)
#undef SB_TEXELS
#undef SB_TEXEL1
template <class T> SB_DEVICE T fetch(cudaTextureObject_t object, float x, float y, float z, int dimensions, int layer) {
  typename Texel<T>::Word words[4];
  __sb_texture(object, x, y, z, dimensions, layer, words);
  return Texel<T>::from(words);
}
}  // namespace sb

template <class T> SB_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) { return sb::fetch<T>(object, (float)x, 0, 0, 0, x); }
template <class T> SB_DEVICE T tex1D(cudaTextureObject_t object, float x) { return sb::fetch<T>(object, x, 0, 0, 1, 0); }
template <class T> SB_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) { return sb::fetch<T>(object, x, y, 0, 2, 0); }
template <class T> SB_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z) { return sb::fetch<T>(object, x, y, z, 3, 0); }
template <class T> SB_DEVICE T tex1DLayered(cudaTextureObject_t object, float x, int layer) { return sb::fetch<T>(object, x, 0, 0, 1, layer); }
template <class T> SB_DEVICE T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) { return sb::fetch<T>(object, x, y, 0, 2, layer); }
// There are no mip maps: the only level is the full one, whatever level or slope is asked for.
template <class T> SB_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
template <class T> SB_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float) { return tex2D<T>(object, x, y); }
template <class T> SB_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) { return tex3D<T>(object, x, y, z); }
template <class T> SB_DEVICE T tex1DGrad(cudaTextureObject_t object, float x, float, float) { return tex1D<T>(object, x); }
template <class T> SB_DEVICE T tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2) { return tex2D<T>(object, x, y); }
template <class T> SB_DEVICE T tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4, float4) { return tex3D<T>(object, x, y, z); }
template <class T> SB_DEVICE void tex1D(T* to, cudaTextureObject_t object, float x) { *to = tex1D<T>(object, x); }
template <class T> SB_DEVICE void tex3D(T* to, cudaTextureObject_t object, float x, float y, float z) { *to = tex3D<T>(object, x, y, z); }
template <class T> SB_DEVICE void tex1Dfetch(T* to, cudaTextureObject_t object, int x) { *to = tex1Dfetch<T>(object, x); }
template <class T> SB_DEVICE void tex2D(T* to, cudaTextureObject_t object, float x, float y) { *to = tex2D<T>(object, x, y); }

template <class T> SB_DEVICE T surf1Dread(cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  const T* place = (const T*)__sb_surface(object, x, 0, 0, mode, sizeof(T));
  return place == nullptr ? T() : *place;
}
template <class T> SB_DEVICE T surf2Dread(cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  const T* place = (const T*)__sb_surface(object, x, y, 0, mode, sizeof(T));
  return place == nullptr ? T() : *place;
}
template <class T> SB_DEVICE T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  const T* place = (const T*)__sb_surface(object, x, y, z, mode, sizeof(T));
  return place == nullptr ? T() : *place;
}
template <class T> SB_DEVICE void surf2Dread(T* to, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = surf2Dread<T>(object, x, y, mode);
}
template <class T> SB_DEVICE void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  if (T* place = (T*)__sb_surface(object, x, 0, 0, mode, sizeof(T))) *place = value;
}
template <class T> SB_DEVICE void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  if (T* place = (T*)__sb_surface(object, x, y, 0, mode, sizeof(T))) *place = value;
}
template <class T> SB_DEVICE void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  if (T* place = (T*)__sb_surface(object, x, y, z, mode, sizeof(T))) *place = value;
}

template <class T> struct sb_channel;
#define SB_CHANNEL(type, x, y, z, w, kind) \
  template <> struct sb_channel<type> { static cudaChannelFormatDesc get() { return {x, y, z, w, cudaChannelFormatKind##kind}; } };
SB_CHANNEL(float, 32, 0, 0, 0, Float) SB_CHANNEL(float1, 32, 0, 0, 0, Float) SB_CHANNEL(float2, 32, 32, 0, 0, Float) SB_CHANNEL(float4, 32, 32, 32, 32, Float)
SB_CHANNEL(int, 32, 0, 0, 0, Signed) SB_CHANNEL(int1, 32, 0, 0, 0, Signed) SB_CHANNEL(int2, 32, 32, 0, 0, Signed) SB_CHANNEL(int4, 32, 32, 32, 32, Signed)
SB_CHANNEL(unsigned int, 32, 0, 0, 0, Unsigned) SB_CHANNEL(uint1, 32, 0, 0, 0, Unsigned) SB_CHANNEL(uint2, 32, 32, 0, 0, Unsigned) SB_CHANNEL(uint4, 32, 32, 32, 32, Unsigned)
SB_CHANNEL(short, 16, 0, 0, 0, Signed) SB_CHANNEL(short2, 16, 16, 0, 0, Signed) SB_CHANNEL(short4, 16, 16, 16, 16, Signed)
SB_CHANNEL(unsigned short, 16, 0, 0, 0, Unsigned) SB_CHANNEL(ushort2, 16, 16, 0, 0, Unsigned) SB_CHANNEL(ushort4, 16, 16, 16, 16, Unsigned)
SB_CHANNEL(signed char, 8, 0, 0, 0, Signed) SB_CHANNEL(char, 8, 0, 0, 0, Signed) SB_CHANNEL(char4, 8, 8, 8, 8, Signed)
SB_CHANNEL(unsigned char, 8, 0, 0, 0, Unsigned) SB_CHANNEL(uchar2, 8, 8, 0, 0, Unsigned) SB_CHANNEL(uchar4, 8, 8, 8, 8, Unsigned)
#undef SB_CHANNEL
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() { return sb_channel<T>::get(); }
