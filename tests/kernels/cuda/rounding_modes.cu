// Directed roundings and conversions against the processor's own rounding modes.
#include <cfenv>
#include <climits>

#include "check.h"

__global__ void operations(const float* x, const float* y, float* f, double* d, int* i, int count) {
  const int t = threadIdx.x;
  if (t >= count) return;
  const float a = x[t], b = y[t];
  float* out = f + t * 12;
  out[0] = __fadd_rd(a, b), out[1] = __fadd_ru(a, b), out[2] = __fadd_rz(a, b);
  out[3] = __fmul_rd(a, b), out[4] = __fmul_ru(a, b), out[5] = __fmul_rz(a, b);
  out[6] = __fdiv_rd(a, b), out[7] = __fdiv_ru(a, b), out[8] = __fdiv_rz(a, b);
  out[9] = __fsqrt_rd(a * a + 2), out[10] = __fsqrt_ru(a * a + 2), out[11] = __fmaf_rz(a, b, a);
  d[t * 4] = __dadd_rd(a, 1.0 / 3), d[t * 4 + 1] = __dmul_ru(a, 1.0 / 3), d[t * 4 + 2] = __ddiv_rz(a, 3.0), d[t * 4 + 3] = __dsqrt_ru(2.0 + t);
  i[t * 4] = __float2int_rn(a * 10), i[t * 4 + 1] = __float2int_rd(a * 10), i[t * 4 + 2] = __float2int_ru(a * 10), i[t * 4 + 3] = __float2int_rz(a * 10);
}

__global__ void edges(int* out) {
  out[0] = __float2int_rz(3e9f), out[1] = __float2int_rz(-3e9f), out[2] = __float2int_rz(NAN);
  out[3] = int(__float2uint_rz(-1.0f)), out[4] = __clz(1), out[5] = __ffs(8), out[6] = __popc(255), out[7] = int(__brev(1));
  out[8] = int(__byte_perm(0x33221100, 0x77665544, 0x7051)), out[9] = __mulhi(1 << 30, 16), out[10] = int(__umulhi(~0u, ~0u));
  out[11] = __dp4a(0x01020304, 0x01010101, 5), out[12] = int(__funnelshift_l(0x80000000, 1, 1)), out[13] = __hadd(7, 8);
  out[14] = int(__vadd4(0x01ff0203, 0x01010101)), out[15] = int(__vmaxu4(0x01ff0203, 0x02010304)), out[16] = __clzll(1), out[17] = int(__fns(0b101100, 0, 2));
}

template <class T, class F>
T rounded(int mode, F function) {
  std::fesetround(mode);
  volatile T result = function();
  std::fesetround(FE_TONEAREST);
  return result;
}

int main() {
  const int count = 200;
  Inputs inputs;
  std::vector<float> x = inputs.floats(count), y = inputs.floats(count);
  for (float& value : y)
    if (value == 0) value = 1;
  OnCard<float> dx(x), dy(y), f(count * 12);
  OnCard<double> d(count * 4);
  OnCard<int> i(count * 4);
  operations<<<1, count>>>(dx, dy, f, d, i, count);
  std::vector<float> fs = f.fetch();
  std::vector<double> ds = d.fetch();
  std::vector<int> is = i.fetch();
  const int modes[3] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  for (int t = 0; t < count; ++t) {
    volatile float a = x[t], b = y[t];
    for (int m = 0; m < 3; ++m) {
      EXPECT(fs[t * 12 + m] == rounded<float>(modes[m], [&] { return a + b; }));
      EXPECT(fs[t * 12 + 3 + m] == rounded<float>(modes[m], [&] { return a * b; }));
      EXPECT(fs[t * 12 + 6 + m] == rounded<float>(modes[m], [&] { return a / b; }));
    }
    EXPECT(fs[t * 12 + 9] <= std::sqrt(std::fma(double(a), a, 2.0)) * (1 + 1e-7) && fs[t * 12 + 10] >= fs[t * 12 + 9]);
    EXPECT(fs[t * 12 + 11] == rounded<float>(FE_TOWARDZERO, [&] { return std::fma(float(a), float(b), float(a)); }));
    volatile double w = x[t], third = 1.0 / 3, three = 3, square = 2.0 + t;
    EXPECT(ds[t * 4] == rounded<double>(FE_DOWNWARD, [&] { return w + third; }));
    EXPECT(ds[t * 4 + 1] == rounded<double>(FE_UPWARD, [&] { return w * third; }));
    EXPECT(ds[t * 4 + 2] == rounded<double>(FE_TOWARDZERO, [&] { return w / three; }));
    EXPECT(ds[t * 4 + 3] == rounded<double>(FE_UPWARD, [&] { return std::sqrt(square); }));
    const float ten = x[t] * 10;
    EXPECT(is[t * 4] == int(std::nearbyint(ten)) && is[t * 4 + 1] == int(std::floor(ten)) && is[t * 4 + 2] == int(std::ceil(ten)) && is[t * 4 + 3] == int(ten));
  }
  OnCard<int> e(18);
  edges<<<1, 1>>>(e);
  const std::vector<int> wanted = {INT_MAX, INT_MIN, 0, 0, 31, 4, 8, INT_MIN, 0x77005511, 4, -2, 15, 3, 7, 0x02000304, 0x02ff0304, 63, 3};
  std::vector<int> got = e.fetch();
  for (int k = 0; k < 18; ++k)
    if (got[k] != wanted[k]) std::printf("edge %d: %d, wanted %d\n", k, got[k], wanted[k]);
  EXPECT(got == wanted);
}
