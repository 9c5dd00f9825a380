// Vector built-ins, element by element.
#pragma once

#define SB_TWO(T, code, name, operation) \
  SB_DEVICE void name(T* dst, const T* src0, const T* src1, sb_long n) { __sb_bang_binary(#name, operation, code, dst, src0, src1, n); }
#define SB_VALUE(T, code, name, operation) \
  SB_DEVICE void name(T* dst, const T* src, T value, sb_long n) { __sb_bang_binary_value(#name, operation, code, dst, src, sb_bits<T>(value), n); }
#define SB_CYCLE(T, code, name, operation) \
  SB_DEVICE void name(T* dst, const T* src, const T* seg, sb_long n, sb_long seg_n) { __sb_bang_cycle(#name, operation, code, dst, src, seg, n, seg_n); }
#define SB_ONE(T, code, name, operation) \
  SB_DEVICE void name(T* dst, const T* src, sb_long n) { __sb_bang_unary(#name, operation, code, dst, src, n); }

// Vectors, a vector and a value, and a vector with a short one again and again.
#define SB_FAMILY(base, operation)                                                                     \
  SB_ALL_TYPES(SB_TWO, __bang_##base, operation) SB_ALL_TYPES(SB_VALUE, __bang_##base##_scalar, operation) \
  SB_ALL_TYPES(SB_CYCLE, __bang_cycle_##base, operation)
SB_FAMILY(add, SB_ADD) SB_FAMILY(sub, SB_SUB) SB_FAMILY(mul, SB_MUL)
SB_FAMILY(eq, SB_EQ) SB_FAMILY(ne, SB_NE) SB_FAMILY(lt, SB_LT) SB_FAMILY(le, SB_LE) SB_FAMILY(gt, SB_GT) SB_FAMILY(ge, SB_GE)
SB_FAMILY(and, SB_AND) SB_FAMILY(or, SB_OR) SB_FAMILY(xor, SB_XOR)
SB_FAMILY(band, SB_BAND) SB_FAMILY(bor, SB_BOR) SB_FAMILY(bxor, SB_BXOR)
SB_FAMILY(maxequal, SB_MAX) SB_FAMILY(minequal, SB_MIN)
#undef SB_FAMILY
SB_ALL_TYPES(SB_VALUE, __bang_add_const, SB_ADD) SB_ALL_TYPES(SB_VALUE, __bang_sub_const, SB_SUB)
SB_ALL_TYPES(SB_VALUE, __bang_mul_const, SB_MUL)
SB_ALL_TYPES(SB_VALUE, __bang_maxeq_scalar, SB_MAX) SB_ALL_TYPES(SB_VALUE, __bang_mineq_scalar, SB_MIN)
SB_ALL_TYPES(SB_TWO, __bang_maximum, SB_MAX) SB_ALL_TYPES(SB_TWO, __bang_minimum, SB_MIN)
SB_FLOATS(SB_TWO, __bang_nan_maximum, SB_NAN_MAX) SB_FLOATS(SB_TWO, __bang_nan_minimum, SB_NAN_MIN)
SB_ALL_TYPES(SB_TWO, __bang_div, SB_DIV) SB_ALL_TYPES(SB_VALUE, __bang_div, SB_DIV)
// The older form with a scratch vector.
#define SB_DIV_SCRATCH(T, code, name) \
  SB_DEVICE void name(T* dst, const T* src0, const T* src1, T*, sb_long n) { __sb_bang_binary(#name, SB_DIV, code, dst, src0, src1, n); }
SB_FLOATS(SB_DIV_SCRATCH, __bang_div)
#undef SB_DIV_SCRATCH
SB_ALL_TYPES(SB_TWO, __bang_rem, SB_REM) SB_ALL_TYPES(SB_VALUE, __bang_rem, SB_REM)
SB_INTEGERS(SB_TWO, __bang_sll, SB_SLL) SB_INTEGERS(SB_TWO, __bang_srl, SB_SRL)
SB_INTEGERS(SB_VALUE, __bang_sll, SB_SLL) SB_INTEGERS(SB_VALUE, __bang_srl, SB_SRL) SB_INTEGERS(SB_VALUE, __bang_sra, SB_SRA)

SB_ALL_TYPES(SB_ONE, __bang_abs, SB_ABS) SB_ALL_TYPES(SB_ONE, __bang_square, SB_SQUARE) SB_ALL_TYPES(SB_ONE, __bang_not, SB_NOT)
SB_ALL_TYPES(SB_ONE, __bang_neg, SB_NEG)
SB_ALL_TYPES(SB_ONE, __bang_bnot, SB_BNOT) SB_ALL_TYPES(SB_ONE, __bang_popcnt, SB_POPCNT)
#define SB_FUNCTION(name, operation) SB_FLOATS(SB_ONE, __bang_##name, operation)
SB_FUNCTION(floor, SB_FLOOR) SB_FUNCTION(ceil, SB_CEIL) SB_FUNCTION(round, SB_ROUND) SB_FUNCTION(trunc, SB_TRUNC)
SB_FUNCTION(sqrt, SB_SQRT) SB_FUNCTION(rsqrt, SB_RSQRT) SB_FUNCTION(recip, SB_RECIP) SB_FUNCTION(log, SB_LOG) SB_FUNCTION(log2, SB_LOG2)
SB_FUNCTION(pow2, SB_EXP2) SB_FUNCTION(exp, SB_EXP) SB_FUNCTION(sin, SB_SIN) SB_FUNCTION(cos, SB_COS) SB_FUNCTION(tanh, SB_TANH)
SB_FUNCTION(sigmoid, SB_SIGMOID) SB_FUNCTION(relu, SB_RELU)
SB_FUNCTION(active_abs, SB_ABS) SB_FUNCTION(active_relu, SB_RELU) SB_FUNCTION(active_sign, SB_SIGN)
SB_FUNCTION(active_exp, SB_EXP) SB_FUNCTION(active_exphp, SB_EXP) SB_FUNCTION(active_log, SB_LOG) SB_FUNCTION(active_loghp, SB_LOG)
SB_FUNCTION(active_sqrt, SB_SQRT) SB_FUNCTION(active_sqrthp, SB_SQRT) SB_FUNCTION(active_rsqrt, SB_RSQRT) SB_FUNCTION(active_rsqrthp, SB_RSQRT)
SB_FUNCTION(active_recip, SB_RECIP) SB_FUNCTION(active_reciphp, SB_RECIP) SB_FUNCTION(active_recip_greater_1, SB_RECIP)
SB_FUNCTION(active_sigmoid, SB_SIGMOID) SB_FUNCTION(active_tanh, SB_TANH) SB_FUNCTION(active_gelu, SB_GELU) SB_FUNCTION(active_gelup, SB_GELUP)
SB_FUNCTION(active_sin, SB_SIN) SB_FUNCTION(active_cos, SB_COS) SB_FUNCTION(active_pow2, SB_EXP2)
#undef SB_FUNCTION

// Fused steps: the second and third operand are vectors, values, or short vectors taken again and again.
#define SB_FUSION(T, code, name)                                                                                                             \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, const T* src1, const T* src2, sb_long n) {                                  \
    __sb_bang_fusion(#name, op, code, dst, src0, src1, 0, n, src2, 0, n, n);                                                                 \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, const T* src1, T src2, sb_long n) {                                         \
    __sb_bang_fusion(#name, op, code, dst, src0, src1, 0, n, nullptr, sb_bits<T>(src2), 0, n);                                               \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, T src1, const T* src2, sb_long n) {                                         \
    __sb_bang_fusion(#name, op, code, dst, src0, nullptr, sb_bits<T>(src1), 0, src2, 0, n, n);                                               \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, T src1, T src2, sb_long n) {                                                \
    __sb_bang_fusion(#name, op, code, dst, src0, nullptr, sb_bits<T>(src1), 0, nullptr, sb_bits<T>(src2), 0, n);                             \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, const T* src1, const T* src2, sb_long n, sb_long n1) {                      \
    __sb_bang_fusion(#name, op, code, dst, src0, src1, 0, n1, src2, 0, n1, n);                                                               \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, const T* src1, const T* src2, sb_long n, sb_long n1, sb_long n2) {          \
    __sb_bang_fusion(#name, op, code, dst, src0, src1, 0, n1, src2, 0, n2, n);                                                               \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, const T* src1, T src2, sb_long n, sb_long n1) {                             \
    __sb_bang_fusion(#name, op, code, dst, src0, src1, 0, n1, nullptr, sb_bits<T>(src2), 0, n);                                              \
  }                                                                                                                                          \
  SB_DEVICE void name(mluFusionOpCode op, T* dst, const T* src0, T src1, const T* src2, sb_long n, sb_long n2) {                             \
    __sb_bang_fusion(#name, op, code, dst, src0, nullptr, sb_bits<T>(src1), 0, src2, 0, n2, n);                                              \
  }
SB_FLOATS(SB_FUSION, __bang_fusion)
SB_WORDS(SB_FUSION, __bang_fusion)
#undef SB_FUSION
