// half and bfloat16: storage, correctly rounded conversions, and arithmetic through float. For + - * / and sqrt of one operation the
// detour is exact: float has more than twice the bits, so rounding twice gives what rounding once would (Figueroa, 1995).
#pragma once

#include "starbridge/atomics.h"
#include "starbridge/rounded_math.h"
#include "starbridge/warp.h"

namespace sb {

SB_HOST_DEVICE float half_to_float(unsigned short raw) {
#if defined(__F16C__)
  return (float)bits_of<_Float16>(raw);
#else
  const unsigned sign = (raw & 0x8000u) << 16, exponent = raw >> 10 & 31, mantissa = raw & 1023;
  if (exponent == 0) {
    float tiny = (float)mantissa * 5.9604644775390625e-08f;
    return sign != 0 ? -tiny : tiny;
  }
  const unsigned bits = exponent == 31 ? sign | 0x7f800000u | mantissa << 13 : sign | (exponent + 112) << 23 | mantissa << 13;
  return bits_of<float>(bits);
#endif
}

// To nearest, ties to even; from double, so that both float and double round once.
SB_HOST_DEVICE unsigned short double_to_half(double x) {
  const unsigned long long bits = bits_of<unsigned long long>(x);
  const unsigned sign = (unsigned)(bits >> 48) & 0x8000u;
  const int exponent = (int)(bits >> 52 & 2047) - 1023;
  const unsigned long long mantissa = bits & 0xfffffffffffffULL;
  if (exponent == 1024) return (unsigned short)(mantissa != 0 ? 0x7fff : sign | 0x7c00);
  if (exponent > 15) return (unsigned short)(sign | 0x7c00);
  if (exponent < -25) return (unsigned short)sign;
  // The significand with its leading one, shifted so that the half's last bit is bit 0.
  const unsigned long long whole = mantissa | 1ULL << 52;
  const int shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  unsigned long long kept = whole >> shift;
  const unsigned long long rest = whole & ((1ULL << shift) - 1), tie = 1ULL << (shift - 1);
  if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  const unsigned biased = exponent >= -14 ? (unsigned)(exponent + 14) << 10 : 0;
  return (unsigned short)(sign | (biased + (unsigned)kept));
}
SB_HOST_DEVICE unsigned short float_to_half(float x) {
#if defined(__F16C__)
  if (x == x) return bits_of<unsigned short>((_Float16)x);
  return 0x7fff;
#else
  return double_to_half((double)x);
#endif
}
SB_HOST_DEVICE float bfloat_to_float(unsigned short raw) { return bits_of<float>((unsigned)raw << 16); }
SB_HOST_DEVICE unsigned short float_to_bfloat(float x) {
  const unsigned bits = bits_of<unsigned>(x);
  if (x != x) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
SB_HOST_DEVICE unsigned short double_to_bfloat(double x) {
  // Rounding to odd on the way keeps the second rounding right (Boldo and Melquiond, 2005).
  float f = (float)x;
  if (x == x && (double)f != x) {
    unsigned bits = bits_of<unsigned>(f);
    const bool went_away = __builtin_fabs((double)f) > __builtin_fabs(x);
    if (went_away) bits -= 1;
    f = bits_of<float>(bits | 1);
  }
  return float_to_bfloat(f);
}

// x + y with its last bit odd where the sum is not exact, so that rounding it once more is rounding once.
SB_HOST_DEVICE double sum_to_odd(double x, double y) {
#pragma clang fp contract(off) reassociate(off)
  const double sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part);
  if (lost == 0 || lost != lost || (bits_of<unsigned long long>(sum) & 1) != 0) return sum;
  return lost > 0 ? next_up(sum) : next_down(sum);
}

struct HalfFormat {
  static SB_HD_MEMBER float widen(unsigned short raw) { return half_to_float(raw); }
  static SB_HD_MEMBER unsigned short narrow(float x) { return float_to_half(x); }
  static SB_HD_MEMBER unsigned short narrow(double x) { return double_to_half(x); }
};
struct BfloatFormat {
  static SB_HD_MEMBER float widen(unsigned short raw) { return bfloat_to_float(raw); }
  static SB_HD_MEMBER unsigned short narrow(float x) { return float_to_bfloat(x); }
  static SB_HD_MEMBER unsigned short narrow(double x) { return double_to_bfloat(x); }
};

}  // namespace sb

#define SB_SMALL_FLOAT(type, raw_type, pair, raw_pair, format)                                                                  \
  struct raw_type { unsigned short x; };                                                                                        \
  struct __attribute__((aligned(4))) raw_pair { unsigned short x, y; };                                                         \
  struct type {                                                                                                                 \
    type() = default;                                                                                                           \
    SB_HD_MEMBER type(const raw_type& raw) : __x(raw.x) {}                                                                      \
    SB_HD_MEMBER type(float v) : __x(sb::format::narrow(v)) {}                                                                  \
    SB_HD_MEMBER type(double v) : __x(sb::format::narrow(v)) {}                                                                 \
    SB_HD_MEMBER type(int v) : __x(sb::format::narrow((double)v)) {}                                                            \
    SB_HD_MEMBER type(unsigned int v) : __x(sb::format::narrow((double)v)) {}                                                   \
    SB_HD_MEMBER type(short v) : __x(sb::format::narrow((double)v)) {}                                                          \
    SB_HD_MEMBER type(unsigned short v) : __x(sb::format::narrow((double)v)) {}                                                 \
    SB_HD_MEMBER type(long v) : __x(sb::format::narrow((double)v)) {}                                                           \
    SB_HD_MEMBER type(unsigned long v) : __x(sb::format::narrow((double)v)) {}                                                  \
    SB_HD_MEMBER type(long long v) : __x(sb::format::narrow((double)v)) {}                                                      \
    SB_HD_MEMBER type(unsigned long long v) : __x(sb::format::narrow((double)v)) {}                                             \
    SB_HD_MEMBER operator float() const { return sb::format::widen(__x); }                                                      \
    SB_HD_MEMBER operator raw_type() const { return raw_type{__x}; }                                                            \
    SB_HD_MEMBER type& operator=(float v) { __x = sb::format::narrow(v); return *this; }                                        \
    SB_HD_MEMBER type& operator=(double v) { __x = sb::format::narrow(v); return *this; }                                       \
    SB_HD_MEMBER type& operator=(const raw_type& raw) { __x = raw.x; return *this; }                                            \
    unsigned short __x;                                                                                                         \
  };                                                                                                                            \
  SB_HOST_DEVICE type operator+(const type& a, const type& b) { return type((float)a + (float)b); }                             \
  SB_HOST_DEVICE type operator-(const type& a, const type& b) { return type((float)a - (float)b); }                             \
  SB_HOST_DEVICE type operator*(const type& a, const type& b) { return type((float)a * (float)b); }                             \
  SB_HOST_DEVICE type operator/(const type& a, const type& b) { return type((float)a / (float)b); }                             \
  SB_HOST_DEVICE type operator-(const type& a) { type r; r.__x = a.__x ^ 0x8000; return r; }                                    \
  SB_HOST_DEVICE type operator+(const type& a) { return a; }                                                                    \
  SB_HOST_DEVICE type& operator+=(type& a, const type& b) { return a = a + b; }                                                 \
  SB_HOST_DEVICE type& operator-=(type& a, const type& b) { return a = a - b; }                                                 \
  SB_HOST_DEVICE type& operator*=(type& a, const type& b) { return a = a * b; }                                                 \
  SB_HOST_DEVICE type& operator/=(type& a, const type& b) { return a = a / b; }                                                 \
  SB_HOST_DEVICE type& operator++(type& a) { return a = a + type(1.0f); }                                                       \
  SB_HOST_DEVICE type& operator--(type& a) { return a = a - type(1.0f); }                                                       \
  SB_HOST_DEVICE bool operator==(const type& a, const type& b) { return (float)a == (float)b; }                                 \
  SB_HOST_DEVICE bool operator!=(const type& a, const type& b) { return (float)a != (float)b; }                                 \
  SB_HOST_DEVICE bool operator<(const type& a, const type& b) { return (float)a < (float)b; }                                   \
  SB_HOST_DEVICE bool operator>(const type& a, const type& b) { return (float)a > (float)b; }                                   \
  SB_HOST_DEVICE bool operator<=(const type& a, const type& b) { return (float)a <= (float)b; }                                 \
  SB_HOST_DEVICE bool operator>=(const type& a, const type& b) { return (float)a >= (float)b; }                                 \
  struct __attribute__((aligned(4))) pair {                                                                                     \
    type x, y;                                                                                                                  \
    pair() = default;                                                                                                           \
    SB_HD_MEMBER pair(const type& a, const type& b) : x(a), y(b) {}                                                             \
    SB_HD_MEMBER pair(const raw_pair& raw) { x.__x = raw.x; y.__x = raw.y; }                                                    \
    SB_HD_MEMBER operator raw_pair() const { return raw_pair{x.__x, y.__x}; }                                                   \
  };                                                                                                                            \
  SB_HOST_DEVICE pair operator+(const pair& a, const pair& b) { return pair(a.x + b.x, a.y + b.y); }                            \
  SB_HOST_DEVICE pair operator-(const pair& a, const pair& b) { return pair(a.x - b.x, a.y - b.y); }                            \
  SB_HOST_DEVICE pair operator*(const pair& a, const pair& b) { return pair(a.x * b.x, a.y * b.y); }                            \
  SB_HOST_DEVICE pair operator/(const pair& a, const pair& b) { return pair(a.x / b.x, a.y / b.y); }                            \
  SB_HOST_DEVICE pair operator-(const pair& a) { return pair(-a.x, -a.y); }                                                     \
  SB_HOST_DEVICE pair& operator+=(pair& a, const pair& b) { return a = a + b; }                                                 \
  SB_HOST_DEVICE pair& operator-=(pair& a, const pair& b) { return a = a - b; }                                                 \
  SB_HOST_DEVICE pair& operator*=(pair& a, const pair& b) { return a = a * b; }                                                 \
  SB_HOST_DEVICE bool operator==(const pair& a, const pair& b) { return a.x == b.x && a.y == b.y; }                             \
  SB_HOST_DEVICE bool operator!=(const pair& a, const pair& b) { return !(a == b); }                                            \
  SB_SMALL_SHUFFLES(type, unsigned short)                                                                                       \
  SB_SMALL_SHUFFLES(pair, unsigned int)

#define SB_SMALL_SHUFFLES(type, bits)                                                                                                    \
  SB_DEVICE type __shfl_sync(unsigned int m, type v, int lane, int w = 32) { return sb::shuffle(m, v, lane, w); }                         \
  SB_DEVICE type __shfl_up_sync(unsigned int m, type v, unsigned int d, int w = 32) { return sb::shuffle_up(m, v, d, w); }                \
  SB_DEVICE type __shfl_down_sync(unsigned int m, type v, unsigned int d, int w = 32) { return sb::shuffle_down(m, v, d, w); }            \
  SB_DEVICE type __shfl_xor_sync(unsigned int m, type v, int b, int w = 32) { return sb::shuffle_xor(m, v, b, w); }                       \
  SB_DEVICE type __shfl(type v, int lane, int w = 32) { return sb::shuffle(__sb_active_mask(), v, lane, w); }                             \
  SB_DEVICE type __shfl_up(type v, unsigned int d, int w = 32) { return sb::shuffle_up(__sb_active_mask(), v, d, w); }                    \
  SB_DEVICE type __shfl_down(type v, unsigned int d, int w = 32) { return sb::shuffle_down(__sb_active_mask(), v, d, w); }                \
  SB_DEVICE type __shfl_xor(type v, int b, int w = 32) { return sb::shuffle_xor(__sb_active_mask(), v, b, w); }                           \
  SB_DEVICE type __ldg(const type* p) { return *p; }                                                                                      \
  SB_DEVICE type atomicExch(type* a, type v) { return sb::update<bits>(a, [v](type) { return v; }); }                                     \
  SB_DEVICE type atomicAdd(type* a, type v) { return sb::update<bits>(a, [v](type old) { return old + v; }); }

// Arithmetic by name. `s`: the suffix of names that CUDA gives to one type only.
#define SB_SMALL_FUNCTIONS(type, pair)                                                                                                       \
  SB_HOST_DEVICE type __hadd(type a, type b) { return a + b; }                                                                                \
  SB_HOST_DEVICE type __hsub(type a, type b) { return a - b; }                                                                                \
  SB_HOST_DEVICE type __hmul(type a, type b) { return a * b; }                                                                                \
  SB_HOST_DEVICE type __hadd_rn(type a, type b) { return a + b; }                                                                             \
  SB_HOST_DEVICE type __hmul_rn(type a, type b) { return a * b; }                                                                             \
  SB_HOST_DEVICE type __hdiv(type a, type b) { return a / b; }                                                                                \
  SB_HOST_DEVICE type __hneg(type a) { return -a; }                                                                                           \
  SB_HOST_DEVICE type __habs(type a) { a.__x &= 0x7fff; return a; }                                                                           \
  SB_HOST_DEVICE type __hfma(type a, type b, type c) { return type(sb::sum_to_odd((double)(float)a * (double)(float)b, (double)(float)c)); }      \
  SB_HOST_DEVICE type __hfma_relu(type a, type b, type c) { type r = __hfma(a, b, c); return (float)r > 0.0f ? r : type(0.0f); }              \
  SB_HOST_DEVICE type __hadd_sat(type a, type b) { float r = (float)a + (float)b; return type(r > 1.0f ? 1.0f : r > 0.0f ? r : 0.0f); }        \
  SB_HOST_DEVICE bool __heq(type a, type b) { return a == b; }                                                                                \
  SB_HOST_DEVICE bool __hne(type a, type b) { return a != b; }                                                                                \
  SB_HOST_DEVICE bool __hlt(type a, type b) { return a < b; }                                                                                 \
  SB_HOST_DEVICE bool __hle(type a, type b) { return a <= b; }                                                                                \
  SB_HOST_DEVICE bool __hgt(type a, type b) { return a > b; }                                                                                 \
  SB_HOST_DEVICE bool __hge(type a, type b) { return a >= b; }                                                                                \
  SB_HOST_DEVICE bool __hisnan(type a) { return (float)a != (float)a; }                                                                       \
  SB_HOST_DEVICE int __hisinf(type a) { float f = (float)a; return f == HUGE_VALF ? 1 : f == -HUGE_VALF ? -1 : 0; }                           \
  SB_HOST_DEVICE type __hmax(type a, type b) { return type(__builtin_fmaxf((float)a, (float)b)); }                                            \
  SB_HOST_DEVICE type __hmin(type a, type b) { return type(__builtin_fminf((float)a, (float)b)); }                                            \
  SB_HOST_DEVICE type __hmax_nan(type a, type b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }                                 \
  SB_HOST_DEVICE type __hmin_nan(type a, type b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }                                 \
  SB_HOST_DEVICE pair __hadd2(pair a, pair b) { return a + b; }                                                                               \
  SB_HOST_DEVICE pair __hsub2(pair a, pair b) { return a - b; }                                                                               \
  SB_HOST_DEVICE pair __hmul2(pair a, pair b) { return a * b; }                                                                               \
  SB_HOST_DEVICE pair __h2div(pair a, pair b) { return a / b; }                                                                               \
  SB_HOST_DEVICE pair __hneg2(pair a) { return -a; }                                                                                          \
  SB_HOST_DEVICE pair __habs2(pair a) { return pair(__habs(a.x), __habs(a.y)); }                                                              \
  SB_HOST_DEVICE pair __hfma2(pair a, pair b, pair c) { return pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }                          \
  SB_HOST_DEVICE pair __hmax2(pair a, pair b) { return pair(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                                            \
  SB_HOST_DEVICE pair __hmin2(pair a, pair b) { return pair(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                                            \
  SB_HOST_DEVICE pair __heq2(pair a, pair b) { return pair(type(a.x == b.x ? 1.0f : 0.0f), type(a.y == b.y ? 1.0f : 0.0f)); }                  \
  SB_HOST_DEVICE pair __hlt2(pair a, pair b) { return pair(type(a.x < b.x ? 1.0f : 0.0f), type(a.y < b.y ? 1.0f : 0.0f)); }                    \
  SB_HOST_DEVICE pair __hgt2(pair a, pair b) { return pair(type(a.x > b.x ? 1.0f : 0.0f), type(a.y > b.y ? 1.0f : 0.0f)); }                    \
  SB_HOST_DEVICE bool __hbeq2(pair a, pair b) { return a.x == b.x && a.y == b.y; }                                                            \
  SB_HOST_DEVICE type hsqrt(type a) { return type(__builtin_sqrtf((float)a)); }                                                               \
  SB_HOST_DEVICE type hrsqrt(type a) { return type(1.0 / __builtin_sqrt((double)(float)a)); }                                                 \
  SB_HOST_DEVICE type hrcp(type a) { return type(1.0f / (float)a); }                                                                          \
  SB_HOST_DEVICE type hexp(type a) { return type(exp((double)(float)a)); }                                                                    \
  SB_HOST_DEVICE type hexp2(type a) { return type(exp2((double)(float)a)); }                                                                  \
  SB_HOST_DEVICE type hlog(type a) { return type(log((double)(float)a)); }                                                                    \
  SB_HOST_DEVICE type hlog2(type a) { return type(log2((double)(float)a)); }                                                                  \
  SB_HOST_DEVICE type hsin(type a) { return type(sin((double)(float)a)); }                                                                    \
  SB_HOST_DEVICE type hcos(type a) { return type(cos((double)(float)a)); }                                                                    \
  SB_HOST_DEVICE type htanh(type a) { return type(tanh((double)(float)a)); }                                                                  \
  SB_HOST_DEVICE type hfloor(type a) { return type(__builtin_floorf((float)a)); }                                                             \
  SB_HOST_DEVICE type hceil(type a) { return type(__builtin_ceilf((float)a)); }                                                               \
  SB_HOST_DEVICE type hrint(type a) { return type(__builtin_rintf((float)a)); }                                                               \
  SB_HOST_DEVICE type htrunc(type a) { return type(__builtin_truncf((float)a)); }                                                             \
  SB_HOST_DEVICE pair h2exp(pair a) { return pair(hexp(a.x), hexp(a.y)); }                                                                    \
  SB_HOST_DEVICE pair h2log(pair a) { return pair(hlog(a.x), hlog(a.y)); }                                                                    \
  SB_HOST_DEVICE pair h2sqrt(pair a) { return pair(hsqrt(a.x), hsqrt(a.y)); }                                                                 \
  SB_HOST_DEVICE pair h2rsqrt(pair a) { return pair(hrsqrt(a.x), hrsqrt(a.y)); }                                                              \
  SB_HOST_DEVICE pair h2rcp(pair a) { return pair(hrcp(a.x), hrcp(a.y)); }
