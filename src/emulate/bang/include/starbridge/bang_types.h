// Types of BANG C.
#pragma once

#include "starbridge/bang_codes.h"
#include "starbridge/bang_directions.h"

typedef _Float16 half;
typedef __bf16 bfloat16_t;
typedef int8_t int8;
typedef int16_t int16;
typedef int8_t fix8;

struct int4x2_t {
  unsigned char value;
};
enum CompareMode { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
enum mluFusionOpCode { FUSION_FMA, FUSION_FMS, FUSION_FAM, FUSION_FSM, FUSION_FAA, FUSION_FAS, FUSION_FSS, FUSION_FSA };

#define MAX_HALF_VALUE 65504
#define MIN_HALF_VALUE -65504
#define P_HALF_INF 0x7C00
#define N_HALF_INF 0xFC00
#define MAX_INT_VALUE 2147483647
#define MIN_INT_VALUE -2147483648

// The bits of a value, in the low end of a word.
template <class T>
SB_DEVICE unsigned long long sb_bits(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

// What the compiler calls to make a bfloat16; the library of the machine this runs on may be too old to have it.
extern "C" __host__ __device__ __attribute__((weak, used)) __bf16 __truncsfbf2(float value) {
  unsigned bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (value == value)
    bits += 0x7fff + (bits >> 16 & 1);  // to the nearest, even
  else
    bits |= 0x400000;  // stays no number
  const unsigned short upper = (unsigned short)(bits >> 16);
  __bf16 result;
  __builtin_memcpy(&result, &upper, sizeof result);
  return result;
}
// Once: through a float whose last digit says whether anything was lost.
extern "C" __host__ __device__ __attribute__((weak, used)) __bf16 __truncdfbf2(double value) {
  float single = (float)value;
  if (value == value && (double)single != value) {
    unsigned bits = 0;
    __builtin_memcpy(&bits, &single, sizeof bits);
    const bool is_away = value < 0 ? single < value : single > value;
    if ((bits & 1) == 0) bits += is_away ? -1 : 1;
    __builtin_memcpy(&single, &bits, sizeof bits);
  }
  return __truncsfbf2(single);
}

// X(type, code, ...) for every element type of a kind.
#define SB_FLOATS(X, ...) X(float, SB_F32, __VA_ARGS__) X(half, SB_F16, __VA_ARGS__) X(bfloat16_t, SB_BF16, __VA_ARGS__)
#define SB_WORDS(X, ...) X(int, SB_S32, __VA_ARGS__) X(unsigned int, SB_U32, __VA_ARGS__)
#define SB_LONGS(X, ...) X(long, SB_S64, __VA_ARGS__) X(unsigned long, SB_U64, __VA_ARGS__)
#define SB_SHORTS(X, ...) X(short, SB_S16, __VA_ARGS__) X(unsigned short, SB_U16, __VA_ARGS__)
#define SB_BYTES(X, ...) X(char, SB_S8, __VA_ARGS__) X(signed char, SB_S8, __VA_ARGS__) X(unsigned char, SB_U8, __VA_ARGS__)
#define SB_INTEGERS(X, ...) SB_WORDS(X, __VA_ARGS__) SB_SHORTS(X, __VA_ARGS__) SB_BYTES(X, __VA_ARGS__)
#define SB_ALL_TYPES(X, ...) SB_FLOATS(X, __VA_ARGS__) SB_INTEGERS(X, __VA_ARGS__) SB_LONGS(X, __VA_ARGS__)
