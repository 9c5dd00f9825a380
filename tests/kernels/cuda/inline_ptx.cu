// Inline PTX: special registers, integer and bit instructions, loads with hints, conversions, predicates, carries.
#include "check.h"

constexpr int kThreads = 256;

__device__ unsigned lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__global__ void words(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = a[i], y = b[i];
  unsigned r[12];
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(0x2514u));
  asm("bfe.u32 %0, %1, 5, 11;" : "=r"(r[1]) : "r"(x));
  asm("bfe.s32 %0, %1, 5, 11;" : "=r"(r[2]) : "r"(x));
  asm("bfi.b32 %0, %1, %2, 7, 9;" : "=r"(r[3]) : "r"(x), "r"(y));
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r[4]) : "r"(x), "r"(y), "r"(17u));
  asm("min.s32 %0, %1, %2;" : "=r"(r[5]) : "r"((int)x), "r"((int)y));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[6]) : "r"(x), "r"(y), "r"(x >> 3));
  asm("shf.l.wrap.b32 %0, %1, %2, 9;" : "=r"(r[7]) : "r"(x), "r"(y));
  asm("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, %2;\n\tselp.u32 %0, 1, 0, p;\n\t@p add.u32 %0, %0, 41;\n\t}" : "=r"(r[8]) : "r"(x), "r"(y));
  asm("bfind.u32 %0, %1;" : "=r"(r[9]) : "r"(x));
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[10]) : "r"(x), "r"(y));
  r[11] = lane_id();
  for (int k = 0; k < 12; ++k) out[i * 12 + k] = r[k];
}

__global__ void wide(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a0 = (unsigned)a[i], a1 = (unsigned)(a[i] >> 32), b0 = (unsigned)b[i], b1 = (unsigned)(b[i] >> 32), s0, s1, s2;
  asm("add.cc.u32 %0, %3, %5;\n\taddc.cc.u32 %1, %4, %6;\n\taddc.u32 %2, 0, 0;" : "=r"(s0), "=r"(s1), "=r"(s2) : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
  unsigned long long product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a0), "r"(b1));
  unsigned low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(product));
  out[i * 3] = (unsigned long long)s1 << 32 | s0;
  out[i * 3 + 1] = s2;
  out[i * 3 + 2] = (unsigned long long)low << 32 | high;
}

__global__ void floats(const float* a, float* out, int* rounded) {
  __shared__ float tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  float x, y = 0.25f, quotient;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(a + i));
  asm("fma.rn.f32 %0, %1, %1, %0;" : "+f"(y) : "f"(x));
  asm("rcp.approx.f32 %0, %1;" : "=f"(quotient) : "f"(y));
  const unsigned place = (unsigned)__cvta_generic_to_shared(&tile[t]);
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(place), "f"(quotient) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("ld.shared.f32 %0, [%1+-4];" : "=f"(quotient) : "r"((unsigned)__cvta_generic_to_shared(tile + t + 1)));
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + i), "f"(quotient) : "memory");
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded[i]) : "f"(x * 8));
}

__global__ void lanes(const int* a, int* out) {
  const int i = threadIdx.x;
  int below, sum;
  asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;" : "=r"(below) : "r"(a[i]));
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(a[i]));
  unsigned votes;
  asm volatile("{.reg .pred p; setp.gt.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "=r"(votes) : "r"(a[i]));
  asm volatile("red.global.add.s32 [%0], %1;" ::"l"(out + 96), "r"(a[i]) : "memory");
  out[i] = below, out[32 + i] = sum, out[64 + i] = (int)votes;
}

int main() {
  Inputs inputs;
  const int n = 2 * kThreads;
  std::vector<unsigned> a(n), b(n);
  std::vector<unsigned long long> wa(n), wb(n);
  std::vector<float> f(n);
  for (int i = 0; i < n; ++i) {
    a[i] = inputs.next() * 5u, b[i] = inputs.next() * 3u, f[i] = inputs.unit() * 4;
    wa[i] = (unsigned long long)a[i] << 32 | b[i], wb[i] = ~0ULL - a[i] * 977ULL;
  }
  OnCard<unsigned> da(a), db(b), words_out(n * 12);
  words<<<2, kThreads>>>(da, db, words_out);
  std::vector<unsigned> got = words_out.fetch();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned x = a[i], y = b[i];
    auto byte = [&](int k) { return k < 4 ? x >> 8 * k & 255 : y >> 8 * (k - 4) & 255; };
    int top = 31;
    while (top >= 0 && !(x >> top & 1)) --top;
    const unsigned expected[12] = {byte(4) | byte(1) << 8 | byte(5) << 16 | byte(2) << 24, x >> 5 & 0x7ff, (unsigned)((int)(x << 16) >> 21),
                                   (y & ~(0x1ffu << 7)) | (x & 0x1ff) << 7, x * y + 17, (unsigned)std::min((int)x, (int)y), x ^ y ^ (x >> 3),
                                   y << 9 | x >> 23, x < y ? 42u : 0u, (unsigned)top, (unsigned)((unsigned long long)x * y >> 32), (unsigned)i % 32};
    for (int k = 0; k < 12; ++k)
      if (got[i * 12 + k] != expected[k] && wrong++ < 5) std::printf("word %d of %d: %u, not %u\n", k, i, got[i * 12 + k], expected[k]);
  }
  OnCard<unsigned long long> dwa(wa), dwb(wb), wide_out(n * 3);
  wide<<<2, kThreads>>>(dwa, dwb, wide_out);
  std::vector<unsigned long long> wide_got = wide_out.fetch();
  for (int i = 0; i < n; ++i) {
    const unsigned long long sum = wa[i] + wb[i], product = (wa[i] & 0xffffffff) * (wb[i] >> 32);
    if (wide_got[i * 3] != sum || wide_got[i * 3 + 1] != (sum < wa[i]) || wide_got[i * 3 + 2] != (product << 32 | product >> 32)) ++wrong;
  }
  OnCard<float> df(f), floats_out(n);
  OnCard<int> rounded(n);
  floats<<<2, kThreads>>>(df, floats_out, rounded);
  std::vector<float> floats_got = floats_out.fetch();
  std::vector<int> rounded_got = rounded.fetch();
  for (int i = 0; i < n; ++i) {
    const float expected = 1 / std::fma(f[i], f[i], 0.25f);
    if (std::fabs(floats_got[i] - expected) > 1e-6f * expected || rounded_got[i] != (int)std::nearbyint(f[i] * 8)) ++wrong;
  }
  std::vector<int> whole(32);
  int sum = 0;
  unsigned votes = 0;
  for (int i = 0; i < 32; ++i) whole[i] = (int)(inputs.next() % 101) - 50, sum += whole[i], votes |= (whole[i] > 0 ? 1u : 0u) << i;
  OnCard<int> dw(whole), lanes_out(97);
  lanes_out.zero();
  lanes<<<1, 32>>>(dw, lanes_out);
  std::vector<int> lanes_got = lanes_out.fetch();
  for (int i = 0; i < 32; ++i)
    if (lanes_got[i] != whole[i == 0 ? 0 : i - 1] || lanes_got[32 + i] != sum || (unsigned)lanes_got[64 + i] != votes) ++wrong;
  if (lanes_got[96] != sum) ++wrong;
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong != 0;
}
