// Atomics: with the old values, and (reduce) without.
#pragma once

#define SB_ATOMIC(T, code, name, operation)                                                                                       \
  SB_DEVICE void __bang_atomic_##name(T* dst, T* src1, T src2, sb_long n = 1) {                                                   \
    __sb_bang_atomic("__bang_atomic_" #name, operation, code, dst, src1, nullptr, sb_bits<T>(src2), n);                           \
  }                                                                                                                               \
  SB_DEVICE void __bang_atomic_##name(T* dst, T* src1, const T* src2, sb_long n) {                                                \
    __sb_bang_atomic("__bang_atomic_" #name, operation, code, dst, src1, src2, 0, n);                                             \
  }                                                                                                                               \
  SB_DEVICE void __bang_atomic_reduce_##name(T* dst, T src1, sb_long n = 1) {                                                     \
    __sb_bang_atomic("__bang_atomic_reduce_" #name, operation, code, nullptr, dst, nullptr, sb_bits<T>(src1), n);                 \
  }                                                                                                                               \
  SB_DEVICE void __bang_atomic_reduce_##name(T* dst, const T* src1, sb_long n) {                                                  \
    __sb_bang_atomic("__bang_atomic_reduce_" #name, operation, code, nullptr, dst, src1, 0, n);                                   \
  }
SB_FLOATS(SB_ATOMIC, add, SB_ATOMIC_ADD) SB_WORDS(SB_ATOMIC, add, SB_ATOMIC_ADD) SB_SHORTS(SB_ATOMIC, add, SB_ATOMIC_ADD)
SB_FLOATS(SB_ATOMIC, max, SB_ATOMIC_MAX) SB_WORDS(SB_ATOMIC, max, SB_ATOMIC_MAX) SB_SHORTS(SB_ATOMIC, max, SB_ATOMIC_MAX)
SB_FLOATS(SB_ATOMIC, min, SB_ATOMIC_MIN) SB_WORDS(SB_ATOMIC, min, SB_ATOMIC_MIN) SB_SHORTS(SB_ATOMIC, min, SB_ATOMIC_MIN)
SB_FLOATS(SB_ATOMIC, exch, SB_ATOMIC_EXCH) SB_WORDS(SB_ATOMIC, exch, SB_ATOMIC_EXCH) SB_SHORTS(SB_ATOMIC, exch, SB_ATOMIC_EXCH)
SB_WORDS(SB_ATOMIC, and, SB_ATOMIC_AND) SB_SHORTS(SB_ATOMIC, and, SB_ATOMIC_AND) SB_WORDS(SB_ATOMIC, or, SB_ATOMIC_OR)
SB_SHORTS(SB_ATOMIC, or, SB_ATOMIC_OR) SB_WORDS(SB_ATOMIC, xor, SB_ATOMIC_XOR) SB_SHORTS(SB_ATOMIC, xor, SB_ATOMIC_XOR)
SB_ATOMIC(unsigned int, SB_U32, inc, SB_ATOMIC_INC) SB_ATOMIC(unsigned short, SB_U16, inc, SB_ATOMIC_INC)
SB_ATOMIC(unsigned int, SB_U32, dec, SB_ATOMIC_DEC) SB_ATOMIC(unsigned short, SB_U16, dec, SB_ATOMIC_DEC)
#undef SB_ATOMIC
#define SB_ATOMIC_CAS(T, code, name)                                                                                              \
  SB_DEVICE void name(T* dst, T* src1, T expected, T value) {                                                                     \
    __sb_bang_atomic_cas(#name, code, dst, src1, sb_bits<T>(expected), sb_bits<T>(value));                                        \
  }
SB_WORDS(SB_ATOMIC_CAS, __bang_atomic_cas) SB_SHORTS(SB_ATOMIC_CAS, __bang_atomic_cas)
#undef SB_ATOMIC_CAS
