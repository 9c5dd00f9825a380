// Everything half and bfloat16 can do, one operation at a time, against 128-bit floating point rounded once by the definition.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <climits>
#include <cstring>

#include "check.h"

typedef __float128 Wide;

struct Format {
  int bits;           // of the significand, with the leading one
  int exponent_min;   // of the smallest normal number
  int exponent_max;
};
constexpr Format kHalf = {11, -14, 15}, kBfloat = {8, -126, 127};

Wide power(int exponent) {
  Wide result = 1;
  for (; exponent >= 1000; exponent -= 1000) result *= std::ldexp(1.0, 1000);
  for (; exponent <= -1000; exponent += 1000) result *= std::ldexp(1.0, -1000);
  return result * std::ldexp(1.0, exponent);
}
int exponent_of(Wide x) {
  if (x < 0) x = -x;
  int e = std::ilogb(double(x));
  while (x >= power(e + 1)) ++e;
  while (x < power(e)) --e;
  return e;
}
// To nearest, ties to even, or in a direction: 'n', 'd', 'u', 'z'.
float narrowed(Wide x, const Format& format, char mode = 'n') {
  const double near = double(x);
  if (near != near || std::isinf(near) || x == 0) return float(near);
  const int e = std::max(exponent_of(x), format.exponent_min);
  const Wide unit = power(e - format.bits + 1), scaled = (x < 0 ? -x : x) / unit;
  long long whole = (long long)scaled;
  const Wide rest = scaled - whole;
  const bool away = mode == 'n' ? rest > 0.5 || (rest == 0.5 && whole % 2 != 0) : rest > 0 && (mode == 'u' ? x > 0 : mode == 'd' ? x < 0 : false);
  if (away) ++whole;
  const double result = double(whole * unit);
  const double most = std::ldexp(2.0 - std::ldexp(1.0, 1 - format.bits), format.exponent_max);
  const bool to_most = mode == 'z' || (mode == 'd' && x > 0) || (mode == 'u' && x < 0);
  if (result > most) return x < 0 ? (to_most ? -float(most) : -INFINITY) : (to_most ? float(most) : INFINITY);
  return float(x < 0 ? -result : result);
}

template <class T> struct PairOf;
template <> struct PairOf<__half> { typedef __half2 type; };
template <> struct PairOf<__nv_bfloat16> { typedef __nv_bfloat162 type; };

// X(on the card, exact value): over T a, b, c and Wide x, y, z.
#define ARITHMETIC(X)                                                                                                  \
  X(__hadd(a, b), x + y) X(__hsub(a, b), x - y) X(__hmul(a, b), x * y) X(__hdiv(a, b), x / y)                           \
  X(__hadd_rn(a, b), x + y) X(__hmul_rn(a, b), x * y) X(__hfma(a, b, c), x * y + z) X(__hneg(a), -x)                    \
  X(__habs(a), x < 0 ? -x : x) X(__hfma_relu(a, b, c), x * y + z > 0 ? x * y + z : Wide(0))                             \
  X(__hadd_sat(a, b), x + y > 1 ? Wide(1) : x + y > 0 ? x + y : Wide(0))                                                \
  X(__hmax(a, b), x > y ? x : y) X(__hmin(a, b), x < y ? x : y) X(__hmax_nan(a, b), x > y ? x : y)                      \
  X(__hmin_nan(a, b), x < y ? x : y) X(hfloor(a), std::floor(double(x))) X(hceil(a), std::ceil(double(x)))              \
  X(hrint(a), std::rint(double(x))) X(htrunc(a), std::trunc(double(x))) X(hsqrt(__habs(a)), root(x < 0 ? -x : x))       \
  X(hrcp(a), 1 / x)
#define COMPARISONS(X) X(__heq, ==) X(__hne, !=) X(__hlt, <) X(__hle, <=) X(__hgt, >) X(__hge, >=)
#define PAIRS(X) X(__hadd2, x + y) X(__hsub2, x - y) X(__hmul2, x * y) X(__h2div, x / y) X(__hmax2, x > y ? x : y) X(__hmin2, x < y ? x : y) \
  X(__heq2, Wide(x == y)) X(__hlt2, Wide(x < y)) X(__hgt2, Wide(x > y))
constexpr int kArithmetic = 21, kComparisons = 6, kPairs = 9 * 2 + 8;

Wide root(Wide x) {  // Newton's way from the double root; exact to the last bits of 128
  if (x == 0) return 0;
  Wide r = std::sqrt(double(x));
  for (int i = 0; i < 3; ++i) r = (r + x / r) / 2;
  return r;
}

template <class T>
__global__ void operations(const float* in, float* out, int* flags, float* pairs, int count) {
  typedef typename PairOf<T>::type Pair;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const T a = T(in[3 * t]), b = T(in[3 * t + 1]), c = T(in[3 * t + 2]);
  float* to = out + t * kArithmetic;
#define ONE(card, exact) *to++ = float(card);
  ARITHMETIC(ONE)
#undef ONE
  int* flag = flags + t * (kComparisons + 2);
#define ONE(name, sign) *flag++ = name(a, b) ? 1 : 0;
  COMPARISONS(ONE)
#undef ONE
  *flag++ = __hisnan(a) ? 1 : 0, *flag++ = __hisinf(a);
  const Pair u(a, b), v(b, c);
  float* pair = pairs + t * kPairs;
#define ONE(name, exact) { const Pair both = name(u, v); *pair++ = float(both.x), *pair++ = float(both.y); }
  PAIRS(ONE)
#undef ONE
  const Pair fused = __hfma2(u, v, u), negative = __hneg2(u), absolute = __habs2(u);
  *pair++ = float(fused.x), *pair++ = float(fused.y), *pair++ = float(negative.x), *pair++ = float(negative.y);
  *pair++ = float(absolute.x), *pair++ = float(absolute.y), *pair++ = __hbeq2(u, v) ? 1.0f : 0.0f, *pair++ = __hbeq2(u, u) ? 1.0f : 0.0f;
}

bool is_same(float a, float b) { return a == b || (a != a && b != b); }
void compare(const char* what, const float* x, float got, float wanted) {
  if (is_same(got, wanted)) return;
  std::printf("%s of %a %a %a: got %a, wanted %a\n", what, double(x[0]), double(x[1]), double(x[2]), double(got), double(wanted));
  std::exit(1);
}

template <class T>
void try_operations(const Format& format) {
  Inputs inputs;
  const int count = 3000;
  std::vector<float> in(3 * count);
  const int reach = format.bits == 11 ? 16 : 60;
  for (float& value : in) {
    const int exponent = inputs.next() % 3 == 0 ? int(inputs.next() % (2 * reach)) - reach : int(inputs.next() % 5) - 2;
    value = narrowed(std::ldexp(1.0 + inputs.next() / 2147483648.0, exponent) * (inputs.next() % 2 == 0 ? 1 : -1), format);
    if (value == 0) value = 1;
  }
  // Products half way between two numbers, with an addend that decides though it is far below.
  const float above_one = 1 + std::ldexp(1.0f, 1 - format.bits);
  for (int t = 0; t < 8; ++t)
    in[3 * t] = t % 2 == 0 ? above_one : -above_one, in[3 * t + 1] = 1.5f, in[3 * t + 2] = std::ldexp(t % 4 < 2 ? 1.0f : -1.0f, t < 4 && format.bits == 8 ? -70 : -13);
  const float specials[] = {0.0f, -0.0f, INFINITY, -INFINITY, 1.0f, std::ldexp(1.0f, format.exponent_min - format.bits + 1)};
  for (int t = 8; t < 44; ++t) in[3 * t] = specials[t % 6], in[3 * t + 1] = specials[t / 6 % 6], in[3 * t + 2] = 1;
  OnCard<float> din(in), dout(count * kArithmetic), dpairs(count * kPairs);
  OnCard<int> dflags(count * (kComparisons + 2));
  operations<T><<<(count + 127) / 128, 128>>>(din, dout, dflags, dpairs, count);
  const std::vector<float> out = dout.fetch(), pairs = dpairs.fetch();
  const std::vector<int> flags = dflags.fetch();
  for (int t = 0; t < count; ++t) {
    const float* o = &in[3 * t];
    const Wide x = o[0], y = o[1], z = o[2];
    const float* got = &out[t * kArithmetic];
    // Infinities and zeros are a matter of doubles.
    const bool is_plain = std::isfinite(o[0]) && std::isfinite(o[1]) && o[0] != 0 && o[1] != 0;
#define ONE(card, exact) if (is_plain) compare(#card, o, *got, narrowed(exact, format)); ++got;
    ARITHMETIC(ONE)
#undef ONE
    const int* flag = &flags[t * (kComparisons + 2)];
#define ONE(name, sign) EXPECT(*flag++ == (o[0] sign o[1] ? 1 : 0));
    COMPARISONS(ONE)
#undef ONE
    EXPECT(*flag++ == 0);
    EXPECT(*flag++ == (std::isinf(o[0]) ? (o[0] > 0 ? 1 : -1) : 0));
    if (!is_plain) continue;
    const float* pair = &pairs[t * kPairs];
    const float second[3] = {o[1], o[2], o[1]};
    auto both = [&](const char* name, auto exact) {
      compare(name, o, *pair++, narrowed(exact(x, y), format));
      compare(name, second, *pair++, narrowed(exact(y, z), format));
    };
#define ONE(name, exact) both(#name, [](Wide x, Wide y) -> Wide { return exact; });
    PAIRS(ONE)
#undef ONE
    both("__hfma2", [](Wide p, Wide q) -> Wide { return p * q + p; });
    both("__hneg2", [](Wide p, Wide) -> Wide { return -p; });
    both("__habs2", [](Wide p, Wide) -> Wide { return p < 0 ? -p : p; });
    EXPECT(*pair++ == (o[0] == o[1] && o[1] == o[2] ? 1.0f : 0.0f));
    EXPECT(*pair++ == 1.0f);
  }
}

// All 65536 halves to integers and back, and numbers between them to halves in each direction.
__global__ void half_integers(long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half h = __ushort_as_half((unsigned short)i);
  long long* to = out + i * 9;
  to[0] = __half2int_rn(h), to[1] = __half2int_rz(h), to[2] = __half2uint_rn(h), to[3] = __half2uint_rz(h), to[4] = __half2ll_rn(h);
  to[5] = __half2short_rn(h), to[6] = __half2short_rz(h), to[7] = __half2ushort_rn(h);
  to[8] = __half_as_ushort(__short_as_half(__half_as_short(h)));
}
__global__ void to_halves(const float* x, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[i];
  float* to = out + i * 14;
  to[0] = __half2float(__float2half(v)), to[1] = __half2float(__float2half_rn(v)), to[2] = __half2float(__float2half_rz(v));
  to[3] = __half2float(__float2half_rd(v)), to[4] = __half2float(__float2half_ru(v)), to[5] = __half2float(__double2half((double)v / 3));
  to[6] = __half2float(__int2half_rn((int)v)), to[7] = __half2float(__uint2half_rn((unsigned)fabsf(v))), to[8] = __half2float(__short2half_rn((short)(int)fmodf(v, 30000)));
  to[9] = __half2float(__ushort2half_rn((unsigned short)(int)fmodf(fabsf(v), 60000))), to[10] = __half2float(__ll2half_rn((long long)v));
  to[11] = __bfloat162float(__float2bfloat16_rz(v)), to[12] = __bfloat162float(__double2bfloat16((double)v / 3)), to[13] = __bfloat162float(__int2bfloat16_rn((int)v));
}
__global__ void pieces(float* out) {
  const __half2 p = __floats2half2_rn(1, 2), q = __halves2half2(__float2half(3), __float2half(4));
  const __nv_bfloat162 r = __floats2bfloat162_rn(5, 6), s = __halves2bfloat162(__float2bfloat16_rn(7), __float2bfloat16(8));
  int k = 0;
  auto both = [&](auto pair) { out[k++] = __low2float(pair), out[k++] = __high2float(pair); };
  both(__lows2half2(p, q)), both(__highs2half2(p, q)), both(__low2half2(p)), both(__high2half2(p)), both(__lowhigh2highlow(p));
  both(__half2half2(__low2half(q))), both(__half2half2(__high2half(q))), both(__float2half2_rn(9)), both(__float22half2_rn(make_float2(1, 2)));
  both(__bfloat162bfloat162(__low2bfloat16(r))), both(__bfloat162bfloat162(__high2bfloat16(s))), both(__float2bfloat162_rn(9));
  both(__float22bfloat162_rn(make_float2(3, 4)));
  const float2 h = __half22float2(p), b = __bfloat1622float2(r);
  out[k++] = h.x, out[k++] = h.y, out[k++] = b.x, out[k++] = b.y;
  out[k++] = __bfloat162int_rn(__float2bfloat16(2.5f)), out[k++] = __bfloat162int_rz(__float2bfloat16(-2.5f));
  out[k++] = __bfloat162float(__short_as_bfloat16(__bfloat16_as_short(__float2bfloat16(-3)))), out[k++] = __bfloat162float(__ushort_as_bfloat16(__bfloat16_as_ushort(__float2bfloat16(11))));
}

double value_of(unsigned raw) {
  const int exponent = raw >> 10 & 31, mantissa = raw & 1023;
  if (exponent == 31) return mantissa != 0 ? NAN : (raw >> 15 != 0 ? -INFINITY : INFINITY);
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return raw >> 15 != 0 ? -size : size;
}
template <class I>
long long held(double x) {
  if (x != x) return sizeof(I) == 8 ? LLONG_MIN : 0;
  if (x <= (double)std::numeric_limits<I>::min()) return (long long)std::numeric_limits<I>::min();
  if (x >= (double)std::numeric_limits<I>::max()) return (long long)std::numeric_limits<I>::max();
  return (long long)(I)x;
}

int main() {
  try_operations<__half>(kHalf);
  try_operations<__nv_bfloat16>(kBfloat);
  OnCard<long long> integers(65536 * 9);
  half_integers<<<256, 256>>>(integers);
  const std::vector<long long> n = integers.fetch();
  for (int i = 0; i < 65536; ++i) {
    const double v = value_of(unsigned(i)), near = std::rint(v), cut = std::trunc(v);
    const long long* got = &n[i * 9];
    EXPECT(got[0] == held<int>(near) && got[1] == held<int>(cut) && got[2] == held<unsigned>(near) && got[3] == held<unsigned>(cut));
    EXPECT(got[4] == held<long long>(near) && got[5] == held<short>(near) && got[6] == held<short>(cut) && got[7] == held<unsigned short>(near));
    EXPECT(got[8] == i);
  }
  const int count = 4096;
  Inputs inputs;
  std::vector<float> x(count);
  for (float& value : x) value = std::ldexp(1 + inputs.unit() * inputs.unit(), int(inputs.next() % 46) - 28) * (inputs.next() % 2 == 0 ? 1 : -1);
  x[0] = 65519.996f, x[1] = 65520, x[2] = -65520, x[3] = 2.98e-8f, x[4] = -2.98e-8f, x[5] = 1e-30f, x[6] = 131008, x[7] = 0;
  OnCard<float> dx(x), dout(count * 14), dpieces(34);
  to_halves<<<count / 128, 128>>>(dx, dout);
  const std::vector<float> h = dout.fetch();
  for (int i = 0; i < count; ++i) {
    const float v = x[i], *got = &h[i * 14], of[3] = {v, 0, 0};
    compare("__float2half", of, got[0], narrowed(v, kHalf)), compare("__float2half_rn", of, got[1], narrowed(v, kHalf));
    compare("__float2half_rz", of, got[2], narrowed(v, kHalf, 'z')), compare("__float2half_rd", of, got[3], narrowed(v, kHalf, 'd'));
    compare("__float2half_ru", of, got[4], narrowed(v, kHalf, 'u')), compare("__double2half", of, got[5], narrowed((double)v / 3, kHalf));
    compare("__int2half_rn", of, got[6], narrowed((int)v, kHalf)), compare("__uint2half_rn", of, got[7], narrowed((unsigned)std::fabs(v), kHalf));
    compare("__short2half_rn", of, got[8], narrowed((short)(int)std::fmod(v, 30000.0f), kHalf));
    compare("__ushort2half_rn", of, got[9], narrowed((unsigned short)(int)std::fmod(std::fabs(v), 60000.0f), kHalf));
    compare("__ll2half_rn", of, got[10], narrowed((long long)v, kHalf)), compare("__float2bfloat16_rz", of, got[11], narrowed(v, kBfloat, 'z'));
    compare("__double2bfloat16", of, got[12], narrowed((double)v / 3, kBfloat)), compare("__int2bfloat16_rn", of, got[13], narrowed((int)v, kBfloat));
  }
  pieces<<<1, 1>>>(dpieces);
  const std::vector<float> wanted = {1, 3, 2, 4, 1, 1, 2, 2, 2, 1, 3, 3, 4, 4, 9, 9, 1, 2, 5, 5, 8, 8, 9, 9, 3, 4, 1, 2, 5, 6, 2, -2, -3, 11};
  EXPECT(dpieces.fetch() == wanted);
}
