// bfloat16.
#pragma once

#include "starbridge/half_types.h"

SB_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat16_raw, __nv_bfloat162, __nv_bfloat162_raw, BfloatFormat)
SB_SMALL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SB_HOST_DEVICE float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
SB_HOST_DEVICE __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
SB_HOST_DEVICE __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
SB_HOST_DEVICE __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(a != a ? 0x7fff : sb::bits_of<unsigned>(a) >> 16)});
}
SB_HOST_DEVICE __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
SB_HOST_DEVICE __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
SB_HOST_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
SB_HOST_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
SB_HOST_DEVICE float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{(float)a.x, (float)a.y}; }
SB_HOST_DEVICE float __low2float(__nv_bfloat162 a) { return (float)a.x; }
SB_HOST_DEVICE float __high2float(__nv_bfloat162 a) { return (float)a.y; }
SB_HOST_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
SB_HOST_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
SB_HOST_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
SB_HOST_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
SB_HOST_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
SB_HOST_DEVICE short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
SB_HOST_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
SB_HOST_DEVICE __nv_bfloat16 __short_as_bfloat16(short a) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)a}); }
SB_HOST_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16(__nv_bfloat16_raw{a}); }
SB_HOST_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) { return sb::saturated<int>(__builtin_rint((double)(float)a), INT_MIN, INT_MAX); }
SB_HOST_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) { return sb::saturated<int>(__builtin_trunc((double)(float)a), INT_MIN, INT_MAX); }
SB_HOST_DEVICE __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
