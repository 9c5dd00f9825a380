// Numbers that the headers of BANG C and the runtime share: element types, operations, rounding modes.
#pragma once

#ifdef __cplusplus
enum sb_type { SB_F32, SB_F16, SB_BF16, SB_S32, SB_U32, SB_S16, SB_U16, SB_S8, SB_U8, SB_S64, SB_U64 };

// Two operands, one result of the same type, element by element.
enum sb_binary {
  SB_ADD, SB_SUB, SB_MUL, SB_DIV, SB_MAX, SB_MIN, SB_NAN_MAX, SB_NAN_MIN, SB_EQ, SB_NE, SB_LT, SB_LE, SB_GT, SB_GE,
  SB_AND, SB_OR, SB_XOR, SB_BAND, SB_BOR, SB_BXOR, SB_SLL, SB_SRL, SB_SRA, SB_REM, SB_HYPOT
};
enum sb_unary {
  SB_ABS, SB_NEG, SB_SQUARE, SB_SQRT, SB_RSQRT, SB_RECIP, SB_EXP, SB_EXP2, SB_LOG, SB_LOG2, SB_LOG10, SB_SIN, SB_COS, SB_TANH, SB_SIGMOID,
  SB_GELU, SB_GELUP, SB_RELU, SB_SIGN, SB_FLOOR, SB_CEIL, SB_ROUND, SB_TRUNC, SB_NOT, SB_BNOT, SB_POPCNT, SB_LOG1P, SB_ERF, SB_SOFTPLUS
};
// tz toward zero, oz away from zero, up, dn, rd nearest with ties away, rm nearest with ties up, rn nearest even.
enum sb_rounding { SB_TZ, SB_OZ, SB_UP, SB_DN, SB_RD, SB_RM, SB_RN };
enum sb_reduction { SB_MAX_OF, SB_MIN_OF, SB_ARGMAX, SB_ARGMIN, SB_SUM_SEGMENTS, SB_SUM_OF };
enum sb_pool { SB_SUMPOOL, SB_AVGPOOL, SB_MAXPOOL, SB_MINPOOL, SB_MAXPOOL_INDEX, SB_MAXPOOL_VALUE_INDEX };
enum sb_pick { SB_COUNT, SB_FINDFIRST, SB_FINDLAST };
enum sb_filter { SB_SELECT, SB_COLLECT, SB_FILTER, SB_MASKMOVE };
enum sb_layout { SB_TRANSPOSE, SB_ROTATE90, SB_ROTATE180, SB_ROTATE270, SB_MIRROR };
enum sb_atomic { SB_ATOMIC_ADD, SB_ATOMIC_INC, SB_ATOMIC_DEC, SB_ATOMIC_MAX, SB_ATOMIC_MIN, SB_ATOMIC_AND, SB_ATOMIC_OR, SB_ATOMIC_XOR, SB_ATOMIC_EXCH };
#endif
