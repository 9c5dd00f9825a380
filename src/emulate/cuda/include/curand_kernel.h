// Random numbers in kernels. Philox4x32-10 gives the published sequence (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011). The default generator runs Marsaglia's xorwow recurrence ("Xorshift RNGs", 2003) from seeds of our own: its numbers are as
// good, but not those of the original library.
#pragma once

#include "cuda_runtime.h"

struct curandStatePhilox4_32_10 { uint4 ctr, output; uint2 key; unsigned int STATE; int has_normal; float normal; };
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateXORWOW { unsigned int d, v[5]; int has_normal; float normal; };
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace sb {
SB_HOST_DEVICE uint4 philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long left = 0xD2511F53ULL * c.x, right = 0xCD9E8D57ULL * c.z;
    c = uint4{(unsigned)(right >> 32) ^ c.y ^ k.x, (unsigned)right, (unsigned)(left >> 32) ^ c.w ^ k.y, (unsigned)left};
    k.x += 0x9E3779B9U;
    k.y += 0xBB67AE85U;
  }
  return c;
}
SB_HOST_DEVICE unsigned long long scramble(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
}  // namespace sb

SB_HOST_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t* s) {
  const unsigned long long block = offset / 4;
  s->key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
  s->ctr = uint4{(unsigned)block, (unsigned)(block >> 32), (unsigned)subsequence, (unsigned)(subsequence >> 32)};
  s->STATE = (unsigned)(offset % 4);
  s->output = sb::philox(s->ctr, s->key);
  s->has_normal = 0;
}
SB_HOST_DEVICE unsigned int curand(curandStatePhilox4_32_10_t* s) {
  const unsigned int result = s->STATE == 0 ? s->output.x : s->STATE == 1 ? s->output.y : s->STATE == 2 ? s->output.z : s->output.w;
  if (++s->STATE == 4) {
    s->STATE = 0;
    if (++s->ctr.x == 0 && ++s->ctr.y == 0 && ++s->ctr.z == 0) ++s->ctr.w;
    s->output = sb::philox(s->ctr, s->key);
  }
  return result;
}
SB_HOST_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW_t* s) {
  unsigned long long mixed = sb::scramble(seed + 0x9e3779b97f4a7c15ULL) ^ sb::scramble(subsequence * 2 + 1);
  for (int i = 0; i < 5; ++i) s->v[i] = (unsigned)(mixed = sb::scramble(mixed + 0x9e3779b97f4a7c15ULL)) | (i == 0 ? 1U : 0U);
  s->d = (unsigned)sb::scramble(mixed);
  s->has_normal = 0;
  for (; offset > 0; --offset) {
    unsigned t = s->v[0] ^ (s->v[0] >> 2);
    s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = s->v[4];
    s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
    s->d += 362437;
  }
}
SB_HOST_DEVICE unsigned int curand(curandStateXORWOW_t* s) {
  unsigned t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->v[4] + s->d;
}
SB_HOST_DEVICE uint4 curand4(curandStatePhilox4_32_10_t* s) {
  uint4 r;
  r.x = curand(s), r.y = curand(s), r.z = curand(s), r.w = curand(s);
  return r;
}
// In (0, 1]: zero never comes, one may.
template <class S> SB_HOST_DEVICE float curand_uniform(S* s) { return (float)curand(s) * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
template <class S> SB_HOST_DEVICE double curand_uniform_double(S* s) {
  const unsigned long long low = curand(s), high = curand(s);
  return (double)((high << 21) ^ (low >> 11)) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
SB_HOST_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t* s) {
  float4 r;
  r.x = curand_uniform(s), r.y = curand_uniform(s), r.z = curand_uniform(s), r.w = curand_uniform(s);
  return r;
}
// Box and Muller, 1958: two at a time, the second kept.
template <class S> SB_HOST_DEVICE float2 curand_normal2(S* s) {
  const float u = curand_uniform(s), v = curand_uniform(s) * 6.2831855f, size = sqrtf(-2.0f * logf(u));
  return float2{size * sinf(v), size * cosf(v)};
}
template <class S> SB_HOST_DEVICE float curand_normal(S* s) {
  if (s->has_normal) {
    s->has_normal = 0;
    return s->normal;
  }
  const float2 both = curand_normal2(s);
  s->normal = both.y;
  s->has_normal = 1;
  return both.x;
}
template <class S> SB_HOST_DEVICE double curand_normal_double(S* s) {
  return sqrt(-2.0 * log(curand_uniform_double(s))) * sin(curand_uniform_double(s) * 6.2831853071795865);
}
template <class S> SB_HOST_DEVICE float curand_log_normal(S* s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
