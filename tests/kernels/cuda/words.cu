// Arithmetic on the bytes and halves of a word, integer products, averages, shifts and bit patterns, each against 64-bit and 128-bit
// arithmetic on the host, one part at a time.
#include <cstdint>
#include <cstring>

#include "check.h"

// X(name, part type, expression over long long x, y)
#define PARTS(X)                                                                                                                            \
  X(__vadd4, uint8_t, x + y) X(__vadd2, uint16_t, x + y) X(__vsub4, uint8_t, x - y) X(__vsub2, uint16_t, x - y)                              \
  X(__vaddss4, int8_t, held(x + y, -128, 127)) X(__vaddss2, int16_t, held(x + y, -32768, 32767))                                             \
  X(__vsubss4, int8_t, held(x - y, -128, 127)) X(__vsubss2, int16_t, held(x - y, -32768, 32767))                                             \
  X(__vaddus4, uint8_t, held(x + y, 0, 255)) X(__vaddus2, uint16_t, held(x + y, 0, 65535))                                                   \
  X(__vsubus4, uint8_t, held(x - y, 0, 255)) X(__vsubus2, uint16_t, held(x - y, 0, 65535))                                                   \
  X(__vmaxs4, int8_t, std::max(x, y)) X(__vmaxu4, uint8_t, std::max(x, y)) X(__vmaxs2, int16_t, std::max(x, y)) X(__vmaxu2, uint16_t, std::max(x, y)) \
  X(__vmins4, int8_t, std::min(x, y)) X(__vminu4, uint8_t, std::min(x, y)) X(__vmins2, int16_t, std::min(x, y)) X(__vminu2, uint16_t, std::min(x, y)) \
  X(__vabsdiffu4, uint8_t, std::llabs(x - y)) X(__vabsdiffs4, int8_t, std::llabs(x - y))                                                     \
  X(__vavgu4, uint8_t, half_up(x + y)) X(__vavgs4, int8_t, half_up(x + y))                                                                   \
  X(__vcmpeq4, uint8_t, x == y ? 255 : 0) X(__vcmpne4, uint8_t, x != y ? 255 : 0) X(__vcmpgtu4, uint8_t, x > y ? 255 : 0)                     \
  X(__vcmpgts4, int8_t, x > y ? 255 : 0) X(__vcmpgeu4, uint8_t, x >= y ? 255 : 0) X(__vcmpltu4, uint8_t, x < y ? 255 : 0)                     \
  X(__vcmpleu4, uint8_t, x <= y ? 255 : 0) X(__vcmpeq2, uint16_t, x == y ? 65535 : 0)                                                        \
  X(__vseteq4, uint8_t, x == y ? 1 : 0) X(__vsetgtu4, uint8_t, x > y ? 1 : 0) X(__vsetltu4, uint8_t, x < y ? 1 : 0)
constexpr int kParts = 38, kWhole = 26;

long long held(long long x, long long low, long long high) { return x < low ? low : x > high ? high : x; }
long long half_up(long long sum) { return static_cast<long long>(std::floor(sum / 2.0 + 0.5)); }
template <class Part, class F>
unsigned parted(unsigned a, unsigned b, F function) {
  Part x[4 / sizeof(Part)], y[4 / sizeof(Part)], z[4 / sizeof(Part)];
  std::memcpy(x, &a, 4), std::memcpy(y, &b, 4);
  for (std::size_t i = 0; i < 4 / sizeof(Part); ++i) z[i] = static_cast<Part>(function(static_cast<long long>(x[i]), static_cast<long long>(y[i])));
  unsigned result;
  std::memcpy(&result, z, 4);
  return result;
}

__global__ void parts(const unsigned* a, const unsigned* b, unsigned* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  unsigned* to = out + t * kParts;
#define ONE(name, part, expression) *to++ = name(a[t], b[t]);
  PARTS(ONE)
#undef ONE
  *to++ = __vabs4(a[t]), *to++ = __vneg4(a[t]), *to++ = __vsadu4(a[t], b[t]);
}

// X(expression on the card, expression on the host) over unsigned a, b, c and unsigned long long p, q.
#define WHOLE(X)                                                                                                                \
  X(__brevll(p), reversed(p, 64)) X(__brev(a), reversed(a, 32)) X(__mul64hi(p, q), (__int128)(long long)p * (long long)q >> 64)  \
  X(__umul64hi(p, q), (unsigned __int128)p * q >> 64) X(__mulhi(a, b), ((long long)(int)a * (int)b) >> 32)                       \
  X(__umulhi(a, b), ((unsigned long long)a * b) >> 32) X(__mul24(a, b), low24(a) * low24(b))                                     \
  X(__umul24(a, b), (unsigned long long)(a % (1u << 24)) * (b % (1u << 24)))                                                     \
  X(__hadd((int)a, (int)b), floor_half((long long)(int)a + (int)b)) X(__rhadd(a, b), floor_half((long long)(int)a + (int)b + 1)) \
  X(__uhadd(a, b), ((unsigned long long)a + b) / 2) X(__urhadd(a, b), ((unsigned long long)a + b + 1) / 2)                       \
  X(__sad(a, b, c), std::llabs((long long)(int)a - (int)b) + c) X(__usad(a, b, c), std::llabs((long long)a - b) + c)             \
  X(__dp2a_lo((int)a, (int)b, (int)c), dotted(a, b, c, 0)) X(__dp2a_hi((int)a, (int)b, (int)c), dotted(a, b, c, 2))              \
  X(__funnelshift_l(a, b, c), shifted(a, b, c % 32, true)) X(__funnelshift_r(a, b, c), shifted(a, b, c % 32, false))             \
  X(__funnelshift_lc(a, b, c % 40), shifted(a, b, std::min(c % 40, 32u), true))                                                  \
  X(__funnelshift_rc(a, b, c % 40), shifted(a, b, std::min(c % 40, 32u), false))                                                 \
  X(__popcll(p), counted(p)) X(__ffsll((long long)p), p == 0 ? 0 : lowest(p) + 1) X(__clzll((long long)p), 63 - highest(p))      \
  X(__ffs((int)a), a == 0 ? 0 : lowest(a) + 1) X(__clz((int)a), 31 - highest(a)) X(__byte_perm(a, b, c), permuted(a, b, c))

unsigned long long reversed(unsigned long long x, int bits) {
  unsigned long long y = 0;
  for (int i = 0; i < bits; ++i) y = y * 2 + (x >> i) % 2;
  return y;
}
long long low24(unsigned x) { return (x % (1u << 24)) >= (1u << 23) ? (long long)(x % (1u << 24)) - (1 << 24) : x % (1u << 24); }
long long floor_half(long long x) { return (x - (((x % 2) + 2) % 2)) / 2; }
long long dotted(unsigned a, unsigned b, unsigned c, int first) {
  int16_t x[2];
  int8_t y[4];
  std::memcpy(x, &a, 4), std::memcpy(y, &b, 4);
  return (long long)c + x[0] * y[first] + x[1] * y[first + 1];
}
unsigned shifted(unsigned low, unsigned high, unsigned by, bool left) {
  const unsigned __int128 both = ((unsigned __int128)high << 32) | low;
  return (unsigned)(left ? both << by >> 32 : both >> by);
}
int counted(unsigned long long x) {
  int bits = 0;
  for (; x != 0; x /= 2) bits += x % 2;
  return bits;
}
int lowest(unsigned long long x) {
  for (int i = 0;; ++i)
    if (x >> i & 1) return i;
}
int highest(unsigned long long x) {
  int i = -1;
  for (; x != 0; x /= 2) ++i;
  return i;
}
unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned char from[8], to[4];
  std::memcpy(from, &a, 4), std::memcpy(from + 4, &b, 4);
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i) & 15;
    to[i] = choice < 8 ? from[choice] : from[choice - 8] >= 128 ? 255 : 0;
  }
  unsigned result;
  std::memcpy(&result, to, 4);
  return result;
}

__global__ void whole(const unsigned* x, unsigned long long* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const unsigned a = x[4 * t], b = x[4 * t + 1], c = x[4 * t + 2];
  const unsigned long long p = (unsigned long long)a << 32 | b, q = (unsigned long long)c << 32 | x[4 * t + 3];
  unsigned long long* to = out + t * kWhole;
#define ONE(card, host) *to++ = sizeof(card) == 4 ? (unsigned)(card) : (card);
  WHOLE(ONE)
#undef ONE
}

__global__ void casts(const double* x, double* d, int* i, float* f) {
  const int t = threadIdx.x;
  i[t * 6] = __double2hiint(x[t]), i[t * 6 + 1] = __double2loint(x[t]), i[t * 6 + 2] = __float_as_int(float(x[t]));
  i[t * 6 + 3] = __finitef(float(x[t])) != 0, i[t * 6 + 4] = __isinff(float(x[t])) != 0, i[t * 6 + 5] = (__isnanf(float(x[t])) != 0) + 2 * (__isnand(x[t]) != 0) + 4 * (__signbitf(float(x[t])) != 0);
  d[t * 2] = __hiloint2double(i[t * 6], i[t * 6 + 1]), d[t * 2 + 1] = __longlong_as_double(__double_as_longlong(x[t]));
  f[t] = __int_as_float(i[t * 6 + 2]);
}

int main() {
  const int count = 4000;
  Inputs inputs;
  std::vector<unsigned> a(count), b(count), x(4 * count);
  for (unsigned* at : {a.data(), b.data()})
    for (int t = 0; t < count; ++t) at[t] = inputs.next() << 9 ^ inputs.next();
  for (unsigned& value : x) value = (inputs.next() << 9 ^ inputs.next()) >> (inputs.next() % 4 == 0 ? inputs.next() % 32 : 0);
  const unsigned corners[] = {0, ~0u, 0x80808080, 0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0x01010101, 0x80000000, 0x7fffffff};
  for (int i = 0; i < 81; ++i) a[i] = corners[i / 9], b[i] = corners[i % 9], x[4 * i] = corners[i / 9], x[4 * i + 1] = corners[i % 9];
  OnCard<unsigned> da(a), db(b), dx(x), dparts(count * kParts);
  OnCard<unsigned long long> dwhole(count * kWhole);
  parts<<<(count + 127) / 128, 128>>>(da, db, dparts, count);
  whole<<<(count + 127) / 128, 128>>>(dx, dwhole, count);
  const std::vector<unsigned> got_parts = dparts.fetch();
  const std::vector<unsigned long long> got_whole = dwhole.fetch();
  auto compare = [](const char* name, unsigned u, unsigned v, unsigned long long got, unsigned long long wanted) {
    if (got == wanted) return;
    std::printf("%s of %08x and %08x: got %llx, wanted %llx\n", name, u, v, got, wanted);
    std::exit(1);
  };
  for (int t = 0; t < count; ++t) {
    const unsigned* got = &got_parts[t * kParts];
#define ONE(name, part, expression) compare(#name, a[t], b[t], *got++, parted<part>(a[t], b[t], [](long long x, long long y) -> long long { return expression; }));
    PARTS(ONE)
#undef ONE
    compare("__vabs4", a[t], 0, *got++, parted<int8_t>(a[t], 0, [](long long v, long long) { return std::llabs(v); }));
    compare("__vneg4", a[t], 0, *got++, parted<int8_t>(a[t], 0, [](long long v, long long) { return -v; }));
    unsigned sum = 0;
    for (int i = 0; i < 32; i += 8) sum += unsigned(std::abs(int(a[t] >> i & 255) - int(b[t] >> i & 255)));
    compare("__vsadu4", a[t], b[t], *got++, sum);
    EXPECT(got == &got_parts[t * kParts] + kParts);
  }
  for (int t = 0; t < count; ++t) {
    const unsigned a = x[4 * t], b = x[4 * t + 1], c = x[4 * t + 2];
    const unsigned long long p = (unsigned long long)a << 32 | b, q = (unsigned long long)c << 32 | x[4 * t + 3];
    const unsigned long long* got = &got_whole[t * kWhole];
    // What the card gives in 32 bits is compared in 32 bits.
#define ONE(card, host) { const bool is_long = std::strstr(#card, "64hi") != nullptr || std::strstr(#card, "brevll") != nullptr; compare(#card, a, b, *got++, is_long ? (unsigned long long)(host) : (unsigned)(host)); }
    WHOLE(ONE)
#undef ONE
    EXPECT(got == &got_whole[t * kWhole] + kWhole);
  }
  const std::vector<double> special = {0.0, -0.0, 1.0 / 3, -1e300, 1e-300, INFINITY, -INFINITY, NAN, -2.5, 65504.0};
  const int n = int(special.size());
  OnCard<double> ds(special), dd(2 * n);
  OnCard<int> di(6 * n);
  OnCard<float> df(n);
  casts<<<1, n>>>(ds, dd, di, df);
  const std::vector<double> d = dd.fetch();
  const std::vector<int> i = di.fetch();
  const std::vector<float> f = df.fetch();
  for (int t = 0; t < n; ++t) {
    const double v = special[t];
    const float w = float(v);
    unsigned long long bits;
    int word;
    std::memcpy(&bits, &v, 8), std::memcpy(&word, &w, 4);
    EXPECT(i[6 * t] == int(bits >> 32) && i[6 * t + 1] == int(bits) && i[6 * t + 2] == word);
    EXPECT(i[6 * t + 3] == (std::isfinite(w) ? 1 : 0) && i[6 * t + 4] == (std::isinf(w) ? 1 : 0));
    EXPECT(i[6 * t + 5] == (std::isnan(w) ? 3 : 0) + (std::signbit(w) ? 4 : 0));
    EXPECT(std::memcmp(&d[2 * t], &v, 8) == 0 && std::memcmp(&d[2 * t + 1], &v, 8) == 0 && std::memcmp(&f[t], &w, 4) == 0);
  }
}
