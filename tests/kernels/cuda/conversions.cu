// Every conversion between integers and floating point, in its four roundings, against long double, which holds all of them exactly.
#include <cfenv>
#include <climits>
#include <cstring>
#include <limits>

#include "check.h"

#define MODES(X, name, type) X(name##_rn, type, FE_TONEAREST) X(name##_rd, type, FE_DOWNWARD) X(name##_ru, type, FE_UPWARD) X(name##_rz, type, FE_TOWARDZERO)
#define FROM_FLOAT(X) MODES(X, __float2int, int) MODES(X, __float2uint, unsigned) MODES(X, __float2ll, long long) MODES(X, __float2ull, unsigned long long)
#define FROM_DOUBLE(X)                                                                                                                     \
  MODES(X, __double2int, int) MODES(X, __double2uint, unsigned) MODES(X, __double2ll, long long) MODES(X, __double2ull, unsigned long long) \
  MODES(X, __double2float, float)
#define FROM_INT(X) MODES(X, __int2float, float) X(__int2double_rn, double, FE_TONEAREST)
#define FROM_UINT(X) MODES(X, __uint2float, float) X(__uint2double_rn, double, FE_TONEAREST)
#define FROM_LL(X) MODES(X, __ll2float, float) MODES(X, __ll2double, double)
#define FROM_ULL(X) MODES(X, __ull2float, float) MODES(X, __ull2double, double)
constexpr int kMost = 20;

template <class T>
__host__ __device__ unsigned long long raw(T value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

#define KERNEL(kernel, type, list)                                                      \
  __global__ void kernel(const type* x, unsigned long long* out, int count) {           \
    const int t = blockIdx.x * blockDim.x + threadIdx.x;                                \
    if (t >= count) return;                                                             \
    unsigned long long* to = out + t * kMost;                                           \
    list(ONE)                                                                           \
  }
#define ONE(name, type, mode) *to++ = raw(name(x[t]));
KERNEL(from_float, float, FROM_FLOAT)
KERNEL(from_double, double, FROM_DOUBLE)
KERNEL(from_int, int, FROM_INT)
KERNEL(from_uint, unsigned, FROM_UINT)
KERNEL(from_ll, long long, FROM_LL)
KERNEL(from_ull, unsigned long long, FROM_ULL)
#undef ONE

template <class To>
To wanted(long double x, int mode) {
  if constexpr (std::numeric_limits<To>::is_integer) {
    const long double whole = mode == FE_DOWNWARD ? floorl(x) : mode == FE_UPWARD ? ceill(x) : mode == FE_TOWARDZERO ? truncl(x) : rintl(x);
    if (whole <= (long double)std::numeric_limits<To>::min()) return std::numeric_limits<To>::min();
    if (whole >= (long double)std::numeric_limits<To>::max()) return std::numeric_limits<To>::max();
    return (To)whole;
  } else {
    volatile long double exact = x;
    std::fesetround(mode);
    volatile To result = (To)exact;
    std::fesetround(FE_TONEAREST);
    return result;
  }
}

template <class From>
void compare(const char* name, From x, unsigned long long got, unsigned long long should) {
  if (got == should) return;
  std::printf("%s(%.25Lg): got bits %llx, wanted %llx\n", name, (long double)x, got, should);
  std::exit(1);
}

template <class T>
std::vector<T> values(int count) {
  Inputs inputs;
  std::vector<T> result;
  for (int i = 0; i < count; ++i) {
    if constexpr (std::numeric_limits<T>::is_integer) {
      const unsigned long long bits = (unsigned long long)inputs.next() << 33 ^ (unsigned long long)inputs.next() << 11 ^ inputs.next();
      result.push_back((T)(bits >> inputs.next() % 64));
    } else {
      const T mantissa = T(1) + T(inputs.next()) / T(1u << 31) + T(inputs.next()) / T(1ull << 62);
      const int exponent = i % 4 == 0 ? int(inputs.next() % 300) - 150 : int(inputs.next() % 70) - 3;
      result.push_back(std::ldexp(inputs.next() % 2 == 0 ? mantissa : -mantissa, exponent));
    }
  }
  for (double special : {0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2147483647.0, -2147483648.0, 4294967295.0, 16777217.0, 9007199254740993.0})
    if (special >= 0 || std::numeric_limits<T>::is_signed)
      if (!std::numeric_limits<T>::is_integer || special <= (double)std::numeric_limits<T>::max()) result.push_back((T)special);
  result.push_back(std::numeric_limits<T>::max()), result.push_back(std::numeric_limits<T>::lowest());
  return result;
}

#define ONE(name, type, mode) compare(#name, x[t], *got++, raw(wanted<type>(x[t], mode)));
#define TRY(kernel, from, list)                                          \
  {                                                                      \
    const std::vector<from> x = values<from>(2000);                      \
    const int count = int(x.size());                                     \
    OnCard<from> in(x);                                                  \
    OnCard<unsigned long long> out(count * kMost);                       \
    kernel<<<(count + 127) / 128, 128>>>(in, out, count);                \
    const std::vector<unsigned long long> all = out.fetch();             \
    for (int t = 0; t < count; ++t) {                                    \
      const unsigned long long* got = &all[t * kMost];                   \
      list(ONE)                                                          \
    }                                                                    \
  }

__global__ void of_nan(unsigned long long* out) {
  const float nan_f = __int_as_float(0x7fc00000);
  const double nan_d = __longlong_as_double(0x7ff8000000000000);
  out[0] = raw(__float2int_rn(nan_f)), out[1] = raw(__float2uint_rn(nan_f)), out[2] = raw(__double2int_rz(nan_d));
  out[3] = raw(__float2ll_rn(nan_f)), out[4] = raw(__double2ull_rd(nan_d));
}

int main() {
  TRY(from_float, float, FROM_FLOAT)
  TRY(from_double, double, FROM_DOUBLE)
  TRY(from_int, int, FROM_INT)
  TRY(from_uint, unsigned, FROM_UINT)
  TRY(from_ll, long long, FROM_LL)
  TRY(from_ull, unsigned long long, FROM_ULL)
  OnCard<unsigned long long> nans(5);
  of_nan<<<1, 1>>>(nans);
  EXPECT(nans.fetch() == (std::vector<unsigned long long>{0, 0, 0, 1ull << 63, 1ull << 63}));
}
