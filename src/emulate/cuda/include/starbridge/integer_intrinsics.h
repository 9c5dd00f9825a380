// Integer intrinsics and bit casts.
#pragma once

#include "starbridge/attributes.h"

namespace sb {
template <class To, class From> SB_HOST_DEVICE To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace sb
SB_DEVICE int __float_as_int(float x) { return sb::bits_of<int>(x); }
SB_DEVICE unsigned int __float_as_uint(float x) { return sb::bits_of<unsigned int>(x); }
SB_DEVICE float __int_as_float(int x) { return sb::bits_of<float>(x); }
SB_DEVICE float __uint_as_float(unsigned int x) { return sb::bits_of<float>(x); }
SB_DEVICE long long __double_as_longlong(double x) { return sb::bits_of<long long>(x); }
SB_DEVICE double __longlong_as_double(long long x) { return sb::bits_of<double>(x); }
SB_DEVICE int __double2hiint(double x) { return (int)(sb::bits_of<unsigned long long>(x) >> 32); }
SB_DEVICE int __double2loint(double x) { return (int)sb::bits_of<unsigned long long>(x); }
SB_DEVICE double __hiloint2double(int high, int low) {
  return sb::bits_of<double>(((unsigned long long)(unsigned int)high << 32) | (unsigned int)low);
}

SB_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
SB_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
SB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
SB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
SB_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
SB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SB_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
SB_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
// The position of the n-th set bit at or above (n > 0) or at or below (n < 0) `base`, or all ones.
SB_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return mask >> base & 1 ? base : ~0U;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = (int)base; i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) != 0 && --left == 0) return (unsigned int)i;
  return ~0U;
}
SB_DEVICE int __mul24(int a, int b) { return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8)); }
SB_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
SB_DEVICE int mul24(int a, int b) { return __mul24(a, b); }
SB_DEVICE unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }
SB_DEVICE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
SB_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
SB_DEVICE int mulhi(int a, int b) { return __mulhi(a, b); }
SB_DEVICE unsigned int umulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
SB_DEVICE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
SB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
SB_DEVICE unsigned int __sad(int a, int b, unsigned int c) { return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c; }
SB_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
SB_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
SB_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
SB_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b) >> 1); }
SB_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b + 1) >> 1); }
// Four bytes chosen from eight; bit 3 of a selector spreads the byte's sign.
SB_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long all = ((unsigned long long)b << 32) | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int choice = selector >> (4 * i) & 0xf;
    unsigned int byte = (unsigned int)(all >> (8 * (choice & 7))) & 0xff;
    if ((choice & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
SB_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return (unsigned int)(((((unsigned long long)high << 32) | low) << (shift & 31)) >> 32);
}
SB_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return (unsigned int)((((unsigned long long)high << 32) | low) >> (shift & 31));
}
SB_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
SB_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

namespace sb {
template <class Byte> SB_DEVICE int dot4(unsigned int a, unsigned int b, int c) {
  for (int i = 0; i < 4; ++i) c += (int)(Byte)(a >> (8 * i)) * (int)(Byte)(b >> (8 * i));
  return c;
}
}  // namespace sb
SB_DEVICE int __dp4a(int a, int b, int c) { return sb::dot4<signed char>((unsigned)a, (unsigned)b, c); }
SB_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) { return (unsigned)sb::dot4<unsigned char>(a, b, (int)c); }
SB_DEVICE int __dp4a(char4 a, char4 b, int c) { return __dp4a(sb::bits_of<int>(a), sb::bits_of<int>(b), c); }
SB_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) { return __dp4a(sb::bits_of<unsigned int>(a), sb::bits_of<unsigned int>(b), c); }
SB_DEVICE int __dp2a_lo(int a, int b, int c) { return c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8); }
SB_DEVICE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }

// SIMD within a word: one operation on each byte or half word.
namespace sb {
template <class Part, class Operation> SB_DEVICE unsigned int each(unsigned int a, unsigned int b, Operation operation) {
  unsigned int result = 0;
  const int width = 8 * (int)sizeof(Part);
  for (int i = 0; i < 32; i += width) {
    const unsigned int part = (unsigned int)operation((int)(Part)(a >> i), (int)(Part)(b >> i)) & ((1U << (width - 1)) * 2 - 1);
    result |= part << i;
  }
  return result;
}
SB_DEVICE int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
}  // namespace sb
#define SB_EACH(name, part, expression) \
  SB_DEVICE unsigned int name(unsigned int a, unsigned int b) { return sb::each<part>(a, b, [](int x, int y) { (void)x; (void)y; return expression; }); }
SB_EACH(__vadd4, unsigned char, x + y) SB_EACH(__vadd2, unsigned short, x + y)
SB_EACH(__vsub4, unsigned char, x - y) SB_EACH(__vsub2, unsigned short, x - y)
SB_EACH(__vaddss4, signed char, sb::clamp(x + y, -128, 127)) SB_EACH(__vaddss2, short, sb::clamp(x + y, -32768, 32767))
SB_EACH(__vsubss4, signed char, sb::clamp(x - y, -128, 127)) SB_EACH(__vsubss2, short, sb::clamp(x - y, -32768, 32767))
SB_EACH(__vaddus4, unsigned char, sb::clamp(x + y, 0, 255)) SB_EACH(__vaddus2, unsigned short, sb::clamp(x + y, 0, 65535))
SB_EACH(__vsubus4, unsigned char, sb::clamp(x - y, 0, 255)) SB_EACH(__vsubus2, unsigned short, sb::clamp(x - y, 0, 65535))
SB_EACH(__vmaxs4, signed char, x > y ? x : y) SB_EACH(__vmaxu4, unsigned char, x > y ? x : y) SB_EACH(__vmaxs2, short, x > y ? x : y)
SB_EACH(__vmins4, signed char, x < y ? x : y) SB_EACH(__vminu4, unsigned char, x < y ? x : y) SB_EACH(__vmins2, short, x < y ? x : y)
SB_EACH(__vmaxu2, unsigned short, x > y ? x : y) SB_EACH(__vminu2, unsigned short, x < y ? x : y)
SB_EACH(__vabsdiffu4, unsigned char, x > y ? x - y : y - x) SB_EACH(__vabsdiffs4, signed char, x > y ? x - y : y - x)
SB_EACH(__vavgu4, unsigned char, (x + y + 1) >> 1) SB_EACH(__vavgs4, signed char, (x + y + 1) >> 1)
SB_EACH(__vcmpeq4, unsigned char, x == y ? 255 : 0) SB_EACH(__vcmpne4, unsigned char, x != y ? 255 : 0)
SB_EACH(__vcmpgtu4, unsigned char, x > y ? 255 : 0) SB_EACH(__vcmpgts4, signed char, x > y ? 255 : 0)
SB_EACH(__vcmpgeu4, unsigned char, x >= y ? 255 : 0) SB_EACH(__vcmpltu4, unsigned char, x < y ? 255 : 0)
SB_EACH(__vcmpleu4, unsigned char, x <= y ? 255 : 0) SB_EACH(__vcmpeq2, unsigned short, x == y ? 65535 : 0)
SB_EACH(__vseteq4, unsigned char, x == y) SB_EACH(__vsetgtu4, unsigned char, x > y) SB_EACH(__vsetltu4, unsigned char, x < y)
#undef SB_EACH
SB_DEVICE unsigned int __vabs4(unsigned int a) { return sb::each<signed char>(a, 0, [](int x, int) { return x < 0 ? -x : x; }); }
SB_DEVICE unsigned int __vneg4(unsigned int a) { return sb::each<signed char>(a, 0, [](int x, int) { return -x; }); }
SB_DEVICE unsigned int __vsadu4(unsigned int a, unsigned int b) {
  unsigned int d = __vabsdiffu4(a, b);
  return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}
