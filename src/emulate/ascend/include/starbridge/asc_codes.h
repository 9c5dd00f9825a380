// Numbers that the headers and the runtime agree on.
#pragma once

enum sb_type { SB_F32, SB_F16, SB_BF16, SB_S32, SB_U32, SB_S16, SB_U16, SB_S8, SB_U8, SB_S64, SB_U64, SB_S4 };

// Pipes of a core, in the order of pipe_t.
enum sb_pipe { SB_PIPE_S, SB_PIPE_V, SB_PIPE_M, SB_PIPE_MTE1, SB_PIPE_MTE2, SB_PIPE_MTE3, SB_PIPE_FIX, SB_PIPE_COUNT };
#define SB_PIPE_ALL 7

enum sb_op {
  // two operands
  SB_ADD, SB_SUB, SB_MUL, SB_DIV, SB_MAX, SB_MIN, SB_AND, SB_OR, SB_XOR, SB_ADD_RELU, SB_SUB_RELU, SB_POWER, SB_FMOD, SB_SHIFT_LEFT, SB_SHIFT_RIGHT, SB_SHIFT_RIGHT_ROUND,
  SB_LEAKY_RELU,
  // three: the old destination or a third source
  SB_MUL_ADD_DST, SB_FUSED_MUL_ADD, SB_FUSED_MUL_ADD_RELU, SB_AXPY, SB_CLAMP,
  // one
  SB_COPY, SB_EXP, SB_LN, SB_ABS, SB_RECIPROCAL, SB_SQRT, SB_RSQRT, SB_RELU, SB_NOT, SB_NEG, SB_TANH, SB_SIN, SB_COS, SB_TAN, SB_SINH, SB_COSH, SB_ASIN, SB_ACOS, SB_ATAN, SB_ASINH,
  SB_ACOSH, SB_ATANH, SB_LOG2, SB_LOG10, SB_LOG1P, SB_ERF, SB_ERFC, SB_FLOOR, SB_CEIL, SB_ROUND_EVEN, SB_TRUNC, SB_FRAC, SB_SIGN, SB_SIGMOID, SB_GELU, SB_GELU_TANH, SB_GELU_FAST, SB_GELU_FASTER, SB_SILU,
  SB_LGAMMA, SB_DIGAMMA, SB_SQUARE,
  // conversion; the rounding is in sb_vec::rounding
  SB_CAST,
  // comparisons: results are bits
  SB_LT, SB_GT, SB_EQ, SB_LE, SB_GE, SB_NE
};

enum sb_round { SB_ROUND_NONE, SB_ROUND_RINT, SB_ROUND_FLOOR, SB_ROUND_CEIL, SB_ROUND_ROUND, SB_ROUND_TRUNC, SB_ROUND_ODD };

// How the elements of a vector instruction are named.
enum sb_form { SB_BY_COUNT, SB_BY_MASK, SB_BY_STATE };

enum sb_reduction { SB_REDUCE_SUM, SB_REDUCE_MAX, SB_REDUCE_MIN };
enum sb_reduce_scope { SB_WHOLE, SB_PER_REPEAT, SB_PER_BLOCK, SB_PER_PAIR };
enum sb_order { SB_VALUE_INDEX, SB_INDEX_VALUE, SB_ONLY_VALUE, SB_ONLY_INDEX };

enum sb_copy_kind { SB_COPY_PLAIN, SB_COPY_PAD, SB_COPY_ND2NZ, SB_COPY_NZ2ND, SB_COPY_SLICE };
enum sb_atomic { SB_ATOMIC_NONE, SB_ATOMIC_ADD, SB_ATOMIC_MAX, SB_ATOMIC_MIN };
