// make_float4 and its like.
#pragma once

#include "vector_types.h"

#define SB_MAKE(type, name)                                                                                  \
  SB_HOST_DEVICE name##1 make_##name##1(type x) { return name##1{x}; }                                        \
  SB_HOST_DEVICE name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                             \
  SB_HOST_DEVICE name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }                  \
  SB_HOST_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }
SB_MAKE(signed char, char)
SB_MAKE(unsigned char, uchar)
SB_MAKE(short, short)
SB_MAKE(unsigned short, ushort)
SB_MAKE(int, int)
SB_MAKE(unsigned int, uint)
SB_MAKE(long, long)
SB_MAKE(unsigned long, ulong)
SB_MAKE(long long, longlong)
SB_MAKE(unsigned long long, ulonglong)
SB_MAKE(float, float)
SB_MAKE(double, double)
#undef SB_MAKE
