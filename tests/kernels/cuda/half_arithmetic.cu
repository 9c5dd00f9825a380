// half and bfloat16: conversions of every bit pattern, arithmetic against double, pairs, directed roundings, shuffles without a mask.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void round_trip(unsigned short* half_out, unsigned short* bfloat_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  half_out[i] = __half_as_ushort(__float2half(__half2float(__ushort_as_half((unsigned short)i))));
  bfloat_out[i] = __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(__ushort_as_bfloat16((unsigned short)i))));
}

__global__ void arithmetic(const float* x, const float* y, float* out, int count) {
  const int i = threadIdx.x;
  if (i >= count) return;
  const __half a = __float2half(x[i]), b = __float2half(y[i]);
  out[i] = __half2float(__hadd(a, b));
  out[count + i] = __half2float(a * b);
  out[2 * count + i] = __half2float(__hfma(a, b, a));
  const __half2 pair = __hmul2(__halves2half2(a, b), __float2half2_rn(2.0f));
  out[3 * count + i] = __low2float(pair) + __high2float(pair);
  out[4 * count + i] = __half2float(__float2half_rd(x[i])), out[5 * count + i] = __half2float(__float2half_ru(x[i]));
  out[6 * count + i] = __bfloat162float(__float2bfloat16(x[i]) + __float2bfloat16(y[i]));
}

// The shuffles of before Volta, which libraries still name for half.
__global__ void old_shuffles(float* out) {
  const int lane = threadIdx.x;
  const __half h = __float2half((float)lane);
  const __nv_bfloat16 b = __float2bfloat16((float)lane);
  out[lane] = __half2float(__shfl_up(h, 1));
  out[32 + lane] = __half2float(__shfl_down(h, 2));
  out[64 + lane] = __bfloat162float(__shfl_xor(b, 3));
  out[96 + lane] = __bfloat162float(__shfl(b, 7));
}

// The nearest half by search among the neighbours, independent of the headers.
double half_of(int bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
double nearest_half(double x) {
  int best = 0;
  double error = INFINITY;
  for (int bits = 0; bits < 0x7c00; ++bits) {
    double distance = std::fabs(half_of(bits) - std::fabs(x));
    if (distance < error || (distance == error && bits % 2 == 0)) error = distance, best = bits;
  }
  return x < 0 ? -half_of(best) : half_of(best);
}

int main() {
  OnCard<unsigned short> h(65536), b(65536);
  round_trip<<<256, 256>>>(h, b);
  std::vector<unsigned short> hs = h.fetch(), bs = b.fetch();
  for (int i = 0; i < 65536; ++i) {
    const bool half_nan = (i & 0x7c00) == 0x7c00 && (i & 1023) != 0, bfloat_nan = (i & 0x7f80) == 0x7f80 && (i & 127) != 0;
    EXPECT(half_nan ? (hs[i] & 0x7c00) == 0x7c00 && (hs[i] & 1023) != 0 : hs[i] == i);
    EXPECT(bfloat_nan ? (bs[i] & 0x7f80) == 0x7f80 && (bs[i] & 127) != 0 : bs[i] == i);
  }
  const int count = 64;
  Inputs inputs;
  std::vector<float> x = inputs.floats(count), y = inputs.floats(count);
  x[0] = 1.0f, y[0] = 0.00048828125f;  // a tie
  x[1] = 6e-8f, y[1] = 1e-7f;          // subnormal
  OnCard<float> dx(x), dy(y), out(7 * count);
  arithmetic<<<1, count>>>(dx, dy, out, count);
  std::vector<float> got = out.fetch();
  for (int i = 0; i < count; ++i) {
    const double a = nearest_half(x[i]), c = nearest_half(y[i]);
    EXPECT(got[i] == nearest_half(a + c));
    EXPECT(got[count + i] == nearest_half(a * c));
    EXPECT(got[2 * count + i] == nearest_half(a * c + a));
    EXPECT(std::fabs(got[3 * count + i] - (2 * a + 2 * c)) < 1e-6);
    EXPECT(got[4 * count + i] <= x[i] && got[5 * count + i] >= x[i] && got[5 * count + i] - got[4 * count + i] <= std::fabs(x[i]) / 500 + 6e-8);
    EXPECT(std::fabs(got[6 * count + i] - (x[i] + y[i])) <= (std::fabs(x[i]) + std::fabs(y[i])) / 64);
  }
  OnCard<float> moved(128);
  old_shuffles<<<1, 32>>>(moved);
  std::vector<float> lanes = moved.fetch();
  for (int i = 0; i < 32; ++i) {
    EXPECT(lanes[i] == (i == 0 ? 0 : i - 1));
    EXPECT(lanes[32 + i] == (i >= 30 ? i : i + 2));
    EXPECT(lanes[64 + i] == (i ^ 3));
    EXPECT(lanes[96 + i] == 7);
  }
}
