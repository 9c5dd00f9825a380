// Maths that CUDA has and the C library has not, the overloads CUDA gives to C++, and the fast intrinsics. The fast ones are
// computed as exactly as the plain ones: NVIDIA bounds their error from above only.
#pragma once

#include "starbridge/attributes.h"

#define SB_PI 3.14159265358979323846

SB_HOST_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
SB_HOST_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SB_HOST_DEVICE float rsqrt(float x) { return rsqrtf(x); }
SB_HOST_DEVICE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
SB_HOST_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
// sin(pi x) with the argument reduced before it is multiplied, so that large x lose nothing.
SB_HOST_DEVICE double sinpi(double x) {
  double r = __builtin_fmod(x, 2.0);
  if (r > 1.0) r -= 2.0;
  if (r < -1.0) r += 2.0;
  if (r > 0.5) r = 1.0 - r;
  if (r < -0.5) r = -1.0 - r;
  return r == 0.0 ? __builtin_copysign(0.0, x) : sin(SB_PI * r);
}
SB_HOST_DEVICE double cospi(double x) {
  double r = __builtin_fmod(__builtin_fabs(x), 2.0);
  if (r > 1.0) r = 2.0 - r;
  return r == 0.5 ? 0.0 : r > 0.5 ? -cos(SB_PI * (1.0 - r)) : cos(SB_PI * r);
}
SB_HOST_DEVICE float sinpif(float x) { return (float)sinpi((double)x); }
SB_HOST_DEVICE float cospif(float x) { return (float)cospi((double)x); }
SB_HOST_DEVICE void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
SB_HOST_DEVICE void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
// Inverse of erf: a rational first guess (Giles, "Approximating the erfinv function", GPU Computing Gems 2) and two steps of Newton.
SB_HOST_DEVICE double erfinv(double y) {
  if (!(y > -1.0 && y < 1.0)) return y == 1.0 ? HUGE_VAL : y == -1.0 ? -HUGE_VAL : __builtin_nan("");
  double w = -log((1.0 - y) * (1.0 + y));
  double x;
  if (w < 5.0) {
    w -= 2.5;
    x = 2.81022636e-08;
    x = 3.43273939e-07 + x * w; x = -3.5233877e-06 + x * w; x = -4.39150654e-06 + x * w; x = 0.00021858087 + x * w;
    x = -0.00125372503 + x * w; x = -0.00417768164 + x * w; x = 0.246640727 + x * w; x = 1.50140941 + x * w;
  } else {
    w = __builtin_sqrt(w) - 3.0;
    x = -0.000200214257;
    x = 0.000100950558 + x * w; x = 0.00134934322 + x * w; x = -0.00367342844 + x * w; x = 0.00573950773 + x * w;
    x = -0.0076224613 + x * w; x = 0.00943887047 + x * w; x = 1.00167406 + x * w; x = 2.83297682 + x * w;
  }
  x *= y;
  for (int i = 0; i < 2; ++i) {
    double error = y >= 0 ? (1.0 - y) - erfc(x) : erfc(-x) - (1.0 + y);
    x += (y >= 0 ? -error : -error) * 0.88622692545275801365 * exp(x * x);
  }
  return x;
}
SB_HOST_DEVICE float erfinvf(float y) { return (float)erfinv((double)y); }
SB_HOST_DEVICE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
SB_HOST_DEVICE float normcdff(float x) { return (float)normcdf((double)x); }
SB_HOST_DEVICE double normcdfinv(double p) { return 1.41421356237309504880 * erfinv(2.0 * p - 1.0); }
SB_HOST_DEVICE float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
SB_HOST_DEVICE double erfcinv(double y) { return erfinv(1.0 - y); }
SB_HOST_DEVICE float erfcinvf(float y) { return (float)erfinv(1.0 - (double)y); }
SB_HOST_DEVICE double erfcx(double x) { return x < 26.0 ? exp(x * x) * erfc(x) : 0.56418958354775628695 / x * (1.0 - 0.5 / (x * x)); }
SB_HOST_DEVICE float erfcxf(float x) { return (float)erfcx((double)x); }
SB_HOST_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
SB_HOST_DEVICE float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
SB_HOST_DEVICE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
SB_HOST_DEVICE float norm3df(float a, float b, float c) { return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c); }
SB_HOST_DEVICE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
SB_HOST_DEVICE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
SB_HOST_DEVICE double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
SB_HOST_DEVICE float norm4df(float a, float b, float c, float d) {
  return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
SB_HOST_DEVICE double cyl_bessel_i0(double x) {
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 500 && term > sum * 1e-17; ++k) { term *= (x * x / 4) / ((double)k * k); sum += term; }
  return sum;
}
SB_HOST_DEVICE float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
SB_HOST_DEVICE double cyl_bessel_i1(double x) {
  double term = x / 2, sum = term;
  for (int k = 1; k < 500 && __builtin_fabs(term) > __builtin_fabs(sum) * 1e-17; ++k) { term *= (x * x / 4) / ((double)k * (k + 1)); sum += term; }
  return sum;
}
SB_HOST_DEVICE float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }

// min and max of every pair CUDA names.
#define SB_MIN_MAX(type)                                                      \
  SB_HOST_DEVICE type min(type a, type b) { return b < a ? b : a; }            \
  SB_HOST_DEVICE type max(type a, type b) { return a < b ? b : a; }
SB_MIN_MAX(int) SB_MIN_MAX(unsigned int) SB_MIN_MAX(long) SB_MIN_MAX(unsigned long) SB_MIN_MAX(long long) SB_MIN_MAX(unsigned long long)
#undef SB_MIN_MAX
#define SB_MIXED(left, right, type)                                                                  \
  SB_HOST_DEVICE type min(left a, right b) { return min((type)a, (type)b); }                          \
  SB_HOST_DEVICE type max(left a, right b) { return max((type)a, (type)b); }
SB_MIXED(int, unsigned int, unsigned int) SB_MIXED(unsigned int, int, unsigned int)
SB_MIXED(long, unsigned long, unsigned long) SB_MIXED(unsigned long, long, unsigned long)
SB_MIXED(long long, unsigned long long, unsigned long long) SB_MIXED(unsigned long long, long long, unsigned long long)
SB_HOST_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
SB_HOST_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
SB_HOST_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
SB_HOST_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
SB_MIXED(float, double, double) SB_MIXED(double, float, double)
#undef SB_MIXED
SB_HOST_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
SB_HOST_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
SB_HOST_DEVICE long long llmin(long long a, long long b) { return b < a ? b : a; }
SB_HOST_DEVICE long long llmax(long long a, long long b) { return a < b ? b : a; }
SB_HOST_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
SB_HOST_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

SB_HOST_DEVICE double exp10(float x) { return exp10((double)x); }
SB_HOST_DEVICE void sincos(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
SB_HOST_DEVICE float fdividef(float a, float b) { return a / b; }
SB_HOST_DEVICE float rcbrt(float x) { return rcbrtf(x); }
SB_HOST_DEVICE float sinpi(float x) { return sinpif(x); }
SB_HOST_DEVICE float cospi(float x) { return cospif(x); }
SB_HOST_DEVICE void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
SB_HOST_DEVICE float erfinv(float x) { return erfinvf(x); }
SB_HOST_DEVICE float erfcinv(float x) { return erfcinvf(x); }
SB_HOST_DEVICE float erfcx(float x) { return erfcxf(x); }
SB_HOST_DEVICE float normcdf(float x) { return normcdff(x); }
SB_HOST_DEVICE float normcdfinv(float x) { return normcdfinvf(x); }
SB_HOST_DEVICE double copysign(double a, float b) { return __builtin_copysign(a, (double)b); }

#define __SB_FAST1(name, call) SB_DEVICE float name(float x) { return call(x); }
__SB_FAST1(__expf, expf) __SB_FAST1(__exp10f, exp10f) __SB_FAST1(__logf, logf) __SB_FAST1(__log2f, log2f) __SB_FAST1(__log10f, log10f)
__SB_FAST1(__sinf, sinf) __SB_FAST1(__cosf, cosf) __SB_FAST1(__tanf, tanf) __SB_FAST1(__tanhf, tanhf)
#undef __SB_FAST1
SB_DEVICE float __powf(float x, float y) { return powf(x, y); }
SB_DEVICE float __fdividef(float x, float y) { return x / y; }
SB_DEVICE void __sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
SB_DEVICE float __saturatef(float x) { return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }
SB_DEVICE float saturate(float x) { return __saturatef(x); }
SB_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
SB_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
SB_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
SB_DEVICE int __isnand(double x) { return __builtin_isnan(x); }
SB_DEVICE int __signbitf(float x) { return __builtin_signbit(x); }
