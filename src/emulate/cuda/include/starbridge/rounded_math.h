// Arithmetic with a named rounding, and conversions. The three directed roundings take the nearest result and one step where the
// sign of the exact error says so; they need no change of the processor's mode. The error is found in a format that holds products
// of two operands exactly and whose range they do not leave: double for float, 128 bits for double.
#pragma once

#include "starbridge/attributes.h"

namespace sb {
template <class T> struct FloatTraits;
template <> struct FloatTraits<float> { typedef unsigned int Bits; typedef int Signed; };
template <> struct FloatTraits<double> { typedef unsigned long long Bits; typedef long long Signed; };

template <class T> SB_HOST_DEVICE T next_up(T x) {
  typename FloatTraits<T>::Bits bits;
  if (x != x || x == (T)HUGE_VAL) return x;
  __builtin_memcpy(&bits, &x, sizeof x);
  if (x == 0) bits = 1;
  else if (x > 0) ++bits;
  else --bits;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
template <class T> SB_HOST_DEVICE T next_down(T x) { return -next_up(-x); }
// `nearest` rounded to nearest; the exact value is nearest + error (only the sign of the error counts). Mode: 'd', 'u' or 'z'.
template <char mode, class T> SB_HOST_DEVICE T adjust(T nearest, int error) {
  const bool down = mode == 'd' || (mode == 'z' && (nearest > 0 || (nearest == 0 && error > 0)));
  const bool up = mode == 'u' || (mode == 'z' && (nearest < 0 || (nearest == 0 && error < 0)));
  if (down && error < 0) return next_down(nearest);
  if (up && error > 0) return next_up(nearest);
  return nearest;
}
template <class T> struct Wider;
template <> struct Wider<float> { typedef double Type; };
template <> struct Wider<double> { typedef __float128 Type; };
template <class W> SB_HOST_DEVICE int sign_of(W x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }  // of NaN too: nothing to adjust
// `nearest` is x + y rounded to nearest. The sum in the wide format and what it lost (Knuth's two-sum) tell the error's sign.
template <char mode, class T, class W> SB_HOST_DEVICE T adjust_sum(T nearest, W x, W y) {
#pragma clang fp contract(off) reassociate(off)
  const W sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part), high = sum - (W)nearest;
  if (mode == 'd' && sum == 0 && __builtin_signbit((double)x) != __builtin_signbit((double)y)) return -(T)0;
  return adjust<mode>(nearest, high != 0 ? sign_of(high) : sign_of(lost));
}
template <class T> SB_HOST_DEVICE T fused(T a, T b, T c);
template <> SB_HOST_DEVICE float fused<float>(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
template <> SB_HOST_DEVICE double fused<double>(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <char mode, class T> SB_HOST_DEVICE T add(T a, T b) {
  typedef typename Wider<T>::Type W;
  return adjust_sum<mode>(a + b, (W)a, (W)b);
}
template <char mode, class T> SB_HOST_DEVICE T multiply(T a, T b) {
  typedef typename Wider<T>::Type W;
  const T p = a * b;
  return adjust<mode>(p, sign_of((W)a * (W)b - (W)p));
}
template <char mode, class T> SB_HOST_DEVICE T divide(T a, T b) {
  typedef typename Wider<T>::Type W;
  const T q = a / b;
  const int rest = sign_of((W)a - (W)q * (W)b);
  return adjust<mode>(q, b < 0 ? -rest : rest);
}
template <class T> SB_HOST_DEVICE T root(T a);
template <> SB_HOST_DEVICE float root<float>(float a) { return __builtin_sqrtf(a); }
template <> SB_HOST_DEVICE double root<double>(double a) { return __builtin_sqrt(a); }
template <char mode, class T> SB_HOST_DEVICE T square_root(T a) {
  typedef typename Wider<T>::Type W;
  const T r = root(a);
  return adjust<mode>(r, sign_of((W)a - (W)r * (W)r));
}
template <char mode, class T> SB_HOST_DEVICE T multiply_add(T a, T b, T c) {
  typedef typename Wider<T>::Type W;
  return adjust_sum<mode>(fused(a, b, c), (W)a * (W)b, (W)c);
}
}  // namespace sb

#define SB_ROUNDED(suffix, mode)                                                                                   \
  SB_DEVICE float __fadd_##suffix(float a, float b) { return sb::add<mode>(a, b); }                                 \
  SB_DEVICE float __fsub_##suffix(float a, float b) { return sb::add<mode>(a, -b); }                                \
  SB_DEVICE float __fmul_##suffix(float a, float b) { return sb::multiply<mode>(a, b); }                            \
  SB_DEVICE float __fmaf_##suffix(float a, float b, float c) { return sb::multiply_add<mode>(a, b, c); }            \
  SB_DEVICE float __fdiv_##suffix(float a, float b) { return sb::divide<mode>(a, b); }                              \
  SB_DEVICE float __frcp_##suffix(float a) { return sb::divide<mode>(1.0f, a); }                                    \
  SB_DEVICE float __fsqrt_##suffix(float a) { return sb::square_root<mode>(a); }                                    \
  SB_DEVICE double __dadd_##suffix(double a, double b) { return sb::add<mode>(a, b); }                              \
  SB_DEVICE double __dsub_##suffix(double a, double b) { return sb::add<mode>(a, -b); }                             \
  SB_DEVICE double __dmul_##suffix(double a, double b) { return sb::multiply<mode>(a, b); }                         \
  SB_DEVICE double __fma_##suffix(double a, double b, double c) { return sb::multiply_add<mode>(a, b, c); }         \
  SB_DEVICE double __ddiv_##suffix(double a, double b) { return sb::divide<mode>(a, b); }                           \
  SB_DEVICE double __drcp_##suffix(double a) { return sb::divide<mode>(1.0, a); }                                   \
  SB_DEVICE double __dsqrt_##suffix(double a) { return sb::square_root<mode>(a); }
SB_ROUNDED(rz, 'z') SB_ROUNDED(ru, 'u') SB_ROUNDED(rd, 'd')
#undef SB_ROUNDED
// Rounded to nearest: plain arithmetic, but never contracted.
#define SB_NEAREST(expression) { _Pragma("clang fp contract(off)") return expression; }
SB_DEVICE float __fadd_rn(float a, float b) SB_NEAREST(a + b)
SB_DEVICE float __fsub_rn(float a, float b) SB_NEAREST(a - b)
SB_DEVICE float __fmul_rn(float a, float b) SB_NEAREST(a * b)
SB_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SB_DEVICE float __fdiv_rn(float a, float b) SB_NEAREST(a / b)
SB_DEVICE float __frcp_rn(float a) SB_NEAREST(1.0f / a)
SB_DEVICE float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
SB_DEVICE float __frsqrt_rn(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }
SB_DEVICE double __dadd_rn(double a, double b) SB_NEAREST(a + b)
SB_DEVICE double __dsub_rn(double a, double b) SB_NEAREST(a - b)
SB_DEVICE double __dmul_rn(double a, double b) SB_NEAREST(a * b)
SB_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SB_DEVICE double __ddiv_rn(double a, double b) SB_NEAREST(a / b)
SB_DEVICE double __drcp_rn(double a) SB_NEAREST(1.0 / a)
SB_DEVICE double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
#undef SB_NEAREST

namespace sb {
template <char mode> SB_HOST_DEVICE double integral(double x) {
  return mode == 'n' ? __builtin_rint(x) : mode == 'z' ? __builtin_trunc(x) : mode == 'u' ? __builtin_ceil(x) : __builtin_floor(x);
}
// Conversions saturate, and NaN gives zero (32 bits) or the lowest value (64 bits), as PTX cvt does.
template <class I> SB_HOST_DEVICE I saturated(double x, I low, I high) {
  if (x != x) return sizeof(I) == 8 ? (I)(1ULL << 63) : (I)0;
  if (x <= (double)low) return low;
  if (x >= (double)high) return high;
  return (I)x;
}
template <char mode> SB_HOST_DEVICE float to_float_exactly(long double x) {
  float f = (float)x;
  return adjust<mode>(f, x > (long double)f ? 1 : x < (long double)f ? -1 : 0);
}
template <char mode> SB_HOST_DEVICE double to_double_exactly(long double x) {
  double d = (double)x;
  return adjust<mode>(d, x > (long double)d ? 1 : x < (long double)d ? -1 : 0);
}
}  // namespace sb
#define SB_CONVERT(suffix, mode)                                                                                                       \
  SB_DEVICE int __float2int_##suffix(float x) { return sb::saturated<int>(sb::integral<mode>(x), -2147483647 - 1, 2147483647); }        \
  SB_DEVICE unsigned int __float2uint_##suffix(float x) { return sb::saturated<unsigned>(sb::integral<mode>(x), 0U, 4294967295U); }     \
  SB_DEVICE long long __float2ll_##suffix(float x) { return sb::saturated<long long>(sb::integral<mode>(x), LLONG_MIN, LLONG_MAX); }    \
  SB_DEVICE unsigned long long __float2ull_##suffix(float x) { return sb::saturated<unsigned long long>(sb::integral<mode>(x), 0ULL, ULLONG_MAX); } \
  SB_DEVICE int __double2int_##suffix(double x) { return sb::saturated<int>(sb::integral<mode>(x), -2147483647 - 1, 2147483647); }      \
  SB_DEVICE unsigned int __double2uint_##suffix(double x) { return sb::saturated<unsigned>(sb::integral<mode>(x), 0U, 4294967295U); }   \
  SB_DEVICE long long __double2ll_##suffix(double x) { return sb::saturated<long long>(sb::integral<mode>(x), LLONG_MIN, LLONG_MAX); }  \
  SB_DEVICE unsigned long long __double2ull_##suffix(double x) { return sb::saturated<unsigned long long>(sb::integral<mode>(x), 0ULL, ULLONG_MAX); } \
  SB_DEVICE float __double2float_##suffix(double x) { return sb::to_float_exactly<mode>(x); }                                           \
  SB_DEVICE float __int2float_##suffix(int x) { return sb::to_float_exactly<mode>(x); }                                                 \
  SB_DEVICE float __uint2float_##suffix(unsigned int x) { return sb::to_float_exactly<mode>(x); }                                       \
  SB_DEVICE float __ll2float_##suffix(long long x) { return sb::to_float_exactly<mode>(x); }                                            \
  SB_DEVICE float __ull2float_##suffix(unsigned long long x) { return sb::to_float_exactly<mode>(x); }                                  \
  SB_DEVICE double __ll2double_##suffix(long long x) { return sb::to_double_exactly<mode>(x); }                                         \
  SB_DEVICE double __ull2double_##suffix(unsigned long long x) { return sb::to_double_exactly<mode>(x); }
SB_CONVERT(rn, 'n') SB_CONVERT(rz, 'z') SB_CONVERT(ru, 'u') SB_CONVERT(rd, 'd')
#undef SB_CONVERT
SB_DEVICE double __int2double_rn(int x) { return x; }
SB_DEVICE double __uint2double_rn(unsigned int x) { return x; }
