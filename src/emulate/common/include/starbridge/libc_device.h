// The C library as device code may call it. Read before any header of the C++ library: its templates take over whatever is
// declared at that moment.
#pragma once

#include "starbridge/attributes.h"

#if defined(__CUDA__)
typedef __SIZE_TYPE__ sb_size_t;

#define SB_UNARY(name)                                             \
  extern "C" __device__ double name(double) noexcept(true);       \
  extern "C" __device__ float name##f(float) noexcept(true);
#define SB_BINARY(name)                                                    \
  extern "C" __device__ double name(double, double) noexcept(true);       \
  extern "C" __device__ float name##f(float, float) noexcept(true);
SB_UNARY(acos) SB_UNARY(asin) SB_UNARY(atan) SB_UNARY(acosh) SB_UNARY(asinh) SB_UNARY(atanh) SB_UNARY(cos) SB_UNARY(sin)
SB_UNARY(tan) SB_UNARY(cosh) SB_UNARY(sinh) SB_UNARY(tanh) SB_UNARY(exp) SB_UNARY(exp2) SB_UNARY(expm1) SB_UNARY(log)
SB_UNARY(log2) SB_UNARY(log10) SB_UNARY(log1p) SB_UNARY(logb) SB_UNARY(cbrt) SB_UNARY(sqrt) SB_UNARY(fabs) SB_UNARY(ceil)
SB_UNARY(floor) SB_UNARY(trunc) SB_UNARY(round) SB_UNARY(rint) SB_UNARY(nearbyint) SB_UNARY(erf) SB_UNARY(erfc)
SB_UNARY(tgamma) SB_UNARY(lgamma) SB_UNARY(j0) SB_UNARY(j1) SB_UNARY(y0) SB_UNARY(y1)
SB_BINARY(atan2) SB_BINARY(pow) SB_BINARY(fmod) SB_BINARY(remainder) SB_BINARY(copysign) SB_BINARY(fdim) SB_BINARY(fmax)
SB_BINARY(fmin) SB_BINARY(hypot) SB_BINARY(nextafter)
#undef SB_UNARY
#undef SB_BINARY
extern "C" {
__device__ double fma(double, double, double) noexcept(true);
__device__ float fmaf(float, float, float) noexcept(true);
__device__ double ldexp(double, int) noexcept(true);
__device__ float ldexpf(float, int) noexcept(true);
__device__ double scalbn(double, int) noexcept(true);
__device__ float scalbnf(float, int) noexcept(true);
__device__ double scalbln(double, long) noexcept(true);
__device__ float scalblnf(float, long) noexcept(true);
__device__ double frexp(double, int*) noexcept(true);
__device__ float frexpf(float, int*) noexcept(true);
__device__ double modf(double, double*) noexcept(true);
__device__ float modff(float, float*) noexcept(true);
__device__ double remquo(double, double, int*) noexcept(true);
__device__ float remquof(float, float, int*) noexcept(true);
__device__ int ilogb(double) noexcept(true);
__device__ int ilogbf(float) noexcept(true);
__device__ long lround(double) noexcept(true);
__device__ long lroundf(float) noexcept(true);
__device__ long lrint(double) noexcept(true);
__device__ long lrintf(float) noexcept(true);
__device__ long long llround(double) noexcept(true);
__device__ long long llroundf(float) noexcept(true);
__device__ long long llrint(double) noexcept(true);
__device__ long long llrintf(float) noexcept(true);
__device__ double nan(const char*) noexcept(true);
__device__ float nanf(const char*) noexcept(true);
__device__ void sincos(double, double*, double*) noexcept(true);
__device__ void sincosf(float, float*, float*) noexcept(true);
__device__ double jn(int, double) noexcept(true);
__device__ float jnf(int, float) noexcept(true);
__device__ double yn(int, double) noexcept(true);
__device__ float ynf(int, float) noexcept(true);
__device__ double exp10(double) noexcept(true);
__device__ float exp10f(float) noexcept(true);
__device__ int abs(int) noexcept(true);
__device__ long labs(long) noexcept(true);
__device__ long long llabs(long long) noexcept(true);

__device__ int printf(const char*, ...) __asm__("__sb_printf");
__device__ void* malloc(sb_size_t) noexcept(true) __asm__("__sb_device_malloc");
__device__ void free(void*) noexcept(true) __asm__("__sb_device_free");
__device__ void* memcpy(void*, const void*, sb_size_t) noexcept(true);
__device__ void* memmove(void*, const void*, sb_size_t) noexcept(true);
__device__ void* memset(void*, int, sb_size_t) noexcept(true);
__device__ int memcmp(const void*, const void*, sb_size_t) noexcept(true);
__device__ sb_size_t strlen(const char*) noexcept(true);
__device__ int strcmp(const char*, const char*) noexcept(true);
__device__ char* strcpy(char*, const char*) noexcept(true);
__device__ __attribute__((noreturn)) void __assert_fail(const char*, const char*, unsigned, const char*) noexcept(true)
    __asm__("__sb_assert_fail");
__device__ __attribute__((noreturn)) void __sb_pure_virtual() __asm__("abort");
}
namespace std {
__device__ inline long abs(long value) { return value < 0 ? -value : value; }
__device__ inline long long abs(long long value) { return value < 0 ? -value : value; }
}  // namespace std
__device__ inline void* operator new(sb_size_t bytes) { return malloc(bytes); }
__device__ inline void* operator new[](sb_size_t bytes) { return malloc(bytes); }
__device__ inline void operator delete(void* pointer) noexcept { free(pointer); }
__device__ inline void operator delete[](void* pointer) noexcept { free(pointer); }
__device__ inline void operator delete(void* pointer, sb_size_t) noexcept { free(pointer); }
__device__ inline void operator delete[](void* pointer, sb_size_t) noexcept { free(pointer); }
#endif
