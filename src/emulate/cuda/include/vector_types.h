// The built-in vector types and dim3, with the alignments the card demands.
#pragma once

#include "starbridge/attributes.h"

#define SB_VECTOR(type, name, align1, align2, align4)                                        \
  struct name##1 { type x; };                                                                \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                            \
  struct name##3 { type x, y, z; };                                                          \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };
SB_VECTOR(signed char, char, 1, 2, 4)
SB_VECTOR(unsigned char, uchar, 1, 2, 4)
SB_VECTOR(short, short, 2, 4, 8)
SB_VECTOR(unsigned short, ushort, 2, 4, 8)
SB_VECTOR(int, int, 4, 8, 16)
SB_VECTOR(unsigned int, uint, 4, 8, 16)
SB_VECTOR(long, long, 8, 16, 16)
SB_VECTOR(unsigned long, ulong, 8, 16, 16)
SB_VECTOR(long long, longlong, 8, 16, 16)
SB_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
SB_VECTOR(float, float, 4, 8, 16)
SB_VECTOR(double, double, 8, 16, 16)
#undef SB_VECTOR

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  __host__ __device__ constexpr dim3(unsigned int x_count = 1, unsigned int y_count = 1, unsigned int z_count = 1)
      : x(x_count), y(y_count), z(z_count) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
