// Every atomic function in every width, type and scope: what one thread is told, step by step, and what many threads leave.
#include <climits>

#include "check.h"

// X(name, what the word holds afterwards), over old and v.
#define INTEGER(X) X(atomicAdd, T(old + v)) X(atomicAnd, T(old & v)) X(atomicOr, T(old | v)) X(atomicXor, T(old ^ v)) X(atomicMin, std::min(old, v)) X(atomicMax, std::max(old, v)) X(atomicExch, v)
#define SCOPES(X, name, after) X(name, after) X(name##_block, after) X(name##_system, after)
#define INTEGER_SCOPES(X)                                                                                                                  \
  SCOPES(X, atomicAdd, T(old + v)) SCOPES(X, atomicAnd, T(old & v)) SCOPES(X, atomicOr, T(old | v)) SCOPES(X, atomicXor, T(old ^ v))        \
  SCOPES(X, atomicMin, std::min(old, v)) SCOPES(X, atomicMax, std::max(old, v)) SCOPES(X, atomicExch, v)
#define WORD(X)                                                                                                                            \
  SCOPES(X, atomicSub, T(old - v)) SCOPES(X, atomicInc, T(old >= v ? 0 : old + 1)) SCOPES(X, atomicDec, T(old == 0 || old > v ? v : old - 1))
constexpr int kSteps = 24;

template <class T>
__global__ void steps(T* word, const T* values, T* told, int count) {
  for (int i = 0; i < count; ++i) {
    const T v = values[i];
    T* to = told + i * kSteps;
#define ONE(name, after) *to++ = name(word, v);
    INTEGER_SCOPES(ONE)
#undef ONE
    *to++ = atomicCAS(word, v, T(v + 1)), *to++ = atomicCAS_block(word, v, T(v + 2)), *to++ = atomicCAS_system(word, T(v + 1), T(v + 3));
  }
}
__global__ void word_steps(unsigned* word, const unsigned* values, unsigned* told, int count) {
  for (int i = 0; i < count; ++i) {
    const unsigned v = values[i];
    unsigned* to = told + i * 9;
#define ONE(name, after) *to++ = name(word, v);
    WORD(ONE)
#undef ONE
  }
}
__global__ void signed_steps(int* word, int* told) {
  told[0] = atomicSub(word, 5), told[1] = atomicSub_block(word, -7), told[2] = atomicSub_system(word, 1);
}

template <class T>
void try_steps() {
  const int count = 300;
  Inputs inputs;
  std::vector<T> values(count);
  for (T& v : values) v = T((unsigned long long)inputs.next() << 33 ^ (unsigned long long)inputs.next() << 5) >> (inputs.next() % (8 * sizeof(T)));
  OnCard<T> word(1), in(values), told(count * kSteps);
  word.zero();
  steps<<<1, 1>>>(word.data, in.data, told.data, count);
  const std::vector<T> got = told.fetch();
  T old = 0;
  for (int i = 0; i < count; ++i) {
    const T v = values[i];
    const T* at = &got[i * kSteps];
#define ONE(name, after) EXPECT(*at++ == old); old = after;
    INTEGER_SCOPES(ONE)
#undef ONE
    EXPECT(*at++ == old);
    if (old == v) old = T(v + 1);
    EXPECT(*at++ == old);
    if (old == v) old = T(v + 2);
    EXPECT(*at++ == old);
    if (old == T(v + 1)) old = T(v + 3);
  }
  EXPECT(word.fetch()[0] == old);
}

void try_words() {
  typedef unsigned T;
  const int count = 300;
  Inputs inputs;
  std::vector<T> values(count);
  for (T& v : values) v = inputs.next() % 50;
  OnCard<T> word(1), in(values), told(count * 9);
  word.zero();
  word_steps<<<1, 1>>>(word, in, told, count);
  const std::vector<T> got = told.fetch();
  T old = 0;
  for (int i = 0; i < count; ++i) {
    const T v = values[i];
    const T* at = &got[i * 9];
#define ONE(name, after) EXPECT(*at++ == old); old = after;
    WORD(ONE)
#undef ONE
  }
  OnCard<int> number(1), answers(3);
  number.zero();
  signed_steps<<<1, 1>>>(number, answers);
  EXPECT(answers.fetch() == (std::vector<int>{0, -5, 2}) && number.fetch()[0] == 1);
}

// Sums of many threads, in sizes that add up exactly.
__global__ void sums(float* f, double* d, float2* f2, float4* f4, unsigned* round, unsigned short* small, float* last, double* last_double) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(f, 0.5f), atomicAdd_block(f + 1 + blockIdx.x, float(threadIdx.x)), atomicAdd_system(f, 1.5f);
  atomicAdd(d, 0.25), atomicAdd_block(d + 1 + blockIdx.x, double(threadIdx.x)), atomicAdd_system(d, 1.75);
#if __CUDA_ARCH__ >= 900
  atomicAdd(f2, make_float2(1, 2)), atomicAdd(f4, make_float4(1, 2, 3, 4));
#endif
  atomicInc(round, 6), atomicDec(round + 1, 6);
  unsigned short seen = *(volatile unsigned short*)small;
  for (unsigned short assumed; assumed = seen, (seen = atomicCAS(small, assumed, (unsigned short)(assumed + 1))) != assumed;) {}
  if (t == 0) last[0] = atomicExch(last + 1, 7.0f), last_double[0] = atomicExch(last_double + 1, 9.0);
}

int main() {
  try_steps<int>();
  try_steps<unsigned>();
  try_steps<long long>();
  try_steps<unsigned long long>();
  try_words();
  OnCard<float> f(5), last(2);
  OnCard<double> d(5), last_double(2);
  OnCard<float2> f2(1);
  OnCard<float4> f4(1);
  OnCard<unsigned> round(2);
  OnCard<unsigned short> small(2);
  f.zero(), d.zero(), f2.zero(), f4.zero(), round.zero(), small.zero(), last.zero(), last_double.zero();
  sums<<<4, 64>>>(f, d, f2, f4, round, small, last, last_double);
  const std::vector<float> fs = f.fetch(), ends = last.fetch();
  const std::vector<double> ds = d.fetch(), double_ends = last_double.fetch();
  EXPECT(fs[0] == 512 && ds[0] == 512);
  for (int b = 1; b < 5; ++b) EXPECT(fs[b] == 63 * 32 && ds[b] == 63 * 32);
  EXPECT(round.fetch() == (std::vector<unsigned>{256 % 7, (7 - 256 % 7) % 7}));
  EXPECT(small.fetch()[0] == 256);
  EXPECT(ends == (std::vector<float>{0, 7}) && double_ends == (std::vector<double>{0, 9}));
}
