// half precision.
#pragma once

#include "starbridge/half_types.h"

SB_SMALL_FLOAT(__half, __half_raw, __half2, __half2_raw, HalfFormat)
SB_SMALL_FUNCTIONS(__half, __half2)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

SB_HOST_DEVICE float __half2float(__half a) { return (float)a; }
SB_HOST_DEVICE __half __float2half(float a) { return __half(a); }
SB_HOST_DEVICE __half __float2half_rn(float a) { return __half(a); }
SB_HOST_DEVICE __half __double2half(double a) { return __half(a); }
namespace sb {
// A directed rounding: the nearest half, and one step when it lies on the wrong side.
template <char mode> SB_HOST_DEVICE __half half_toward(float x) {
  __half h(x);
  const float back = (float)h;
  if (back == x || x != x) return h;
  const bool wants_down = mode == 'd' || (mode == 'z' && x > 0), is_above = back > x;
  if (wants_down == is_above) {
    const bool grows = (h.__x & 0x8000) != 0 ? wants_down : !wants_down;
    if (h.__x == 0x8000 || h.__x == 0) h.__x = wants_down ? 0x8001 : 0x0001;
    else h.__x = (unsigned short)(grows ? h.__x + 1 : h.__x - 1);
  }
  return h;
}
}  // namespace sb
SB_HOST_DEVICE __half __float2half_rz(float a) { return sb::half_toward<'z'>(a); }
SB_HOST_DEVICE __half __float2half_rd(float a) { return sb::half_toward<'d'>(a); }
SB_HOST_DEVICE __half __float2half_ru(float a) { return sb::half_toward<'u'>(a); }
SB_HOST_DEVICE __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
SB_HOST_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
SB_HOST_DEVICE __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
SB_HOST_DEVICE float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
SB_HOST_DEVICE float __low2float(__half2 a) { return (float)a.x; }
SB_HOST_DEVICE float __high2float(__half2 a) { return (float)a.y; }
SB_HOST_DEVICE __half __low2half(__half2 a) { return a.x; }
SB_HOST_DEVICE __half __high2half(__half2 a) { return a.y; }
SB_HOST_DEVICE __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
SB_HOST_DEVICE __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
SB_HOST_DEVICE __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
SB_HOST_DEVICE __half2 __half2half2(__half a) { return __half2(a, a); }
SB_HOST_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SB_HOST_DEVICE __half2 make_half2(__half a, __half b) { return __half2(a, b); }
SB_HOST_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SB_HOST_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SB_HOST_DEVICE short __half_as_short(__half a) { return (short)a.__x; }
SB_HOST_DEVICE unsigned short __half_as_ushort(__half a) { return a.__x; }
SB_HOST_DEVICE __half __short_as_half(short a) { return __half(__half_raw{(unsigned short)a}); }
SB_HOST_DEVICE __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }
#define SB_FROM_HALF(name, type, low, high) SB_HOST_DEVICE type name(__half a) { return sb::saturated<type>(SB_HALF_ROUND((double)(float)a), low, high); }
#define SB_HALF_ROUND(x) __builtin_rint(x)
SB_FROM_HALF(__half2int_rn, int, INT_MIN, INT_MAX) SB_FROM_HALF(__half2uint_rn, unsigned, 0U, UINT_MAX)
SB_FROM_HALF(__half2short_rn, short, SHRT_MIN, SHRT_MAX) SB_FROM_HALF(__half2ushort_rn, unsigned short, 0, USHRT_MAX)
SB_FROM_HALF(__half2ll_rn, long long, LLONG_MIN, LLONG_MAX)
#undef SB_HALF_ROUND
#define SB_HALF_ROUND(x) __builtin_trunc(x)
SB_FROM_HALF(__half2int_rz, int, INT_MIN, INT_MAX) SB_FROM_HALF(__half2uint_rz, unsigned, 0U, UINT_MAX)
SB_FROM_HALF(__half2short_rz, short, SHRT_MIN, SHRT_MAX)
#undef SB_HALF_ROUND
#undef SB_FROM_HALF
SB_HOST_DEVICE __half __int2half_rn(int a) { return __half(a); }
SB_HOST_DEVICE __half __uint2half_rn(unsigned a) { return __half(a); }
SB_HOST_DEVICE __half __short2half_rn(short a) { return __half(a); }
SB_HOST_DEVICE __half __ushort2half_rn(unsigned short a) { return __half(a); }
SB_HOST_DEVICE __half __ll2half_rn(long long a) { return __half(a); }
