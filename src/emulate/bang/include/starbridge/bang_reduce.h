// Few values of many: sums, extremes, counts; elements picked out by a mask; tables.
#pragma once

#define SB_REDUCE(T, code, name, what) \
  SB_DEVICE void name(T* dst, const T* src, sb_long n) { __sb_bang_reduce(#name, what, code, dst, src, n); }
SB_FLOATS(SB_REDUCE, __bang_max, SB_MAX_OF) SB_FLOATS(SB_REDUCE, __bang_min, SB_MIN_OF)
SB_FLOATS(SB_REDUCE, __bang_argmax, SB_ARGMAX) SB_FLOATS(SB_REDUCE, __bang_argmin, SB_ARGMIN)
SB_FLOATS(SB_REDUCE, __bang_reduce_sum, SB_SUM_SEGMENTS) SB_FLOATS(SB_REDUCE, __bang_sum, SB_SUM_OF)
#undef SB_REDUCE
#define SB_SUM_VALUE(T, code, name) \
  SB_DEVICE T name(const T* src, sb_long n) { return (T)__sb_bang_sum(#name, code, src, n); }
SB_FLOATS(SB_SUM_VALUE, __bang_sum)
#undef SB_SUM_VALUE

#define SB_PICK(T, code, name, what, is_bits)                                                                              \
  SB_DEVICE void name(unsigned int* dst, const T* src, sb_long n) { __sb_bang_pick(#name, what, code, dst, src, n, is_bits); } \
  SB_DEVICE unsigned int name(const T* src, sb_long n) { return __sb_bang_pick(#name, what, code, nullptr, src, n, is_bits); }
SB_FLOATS(SB_PICK, __bang_count, SB_COUNT, 0) SB_FLOATS(SB_PICK, __bang_findfirst1, SB_FINDFIRST, 0)
SB_FLOATS(SB_PICK, __bang_findlast1, SB_FINDLAST, 0) SB_FLOATS(SB_PICK, __bang_count_bitindex, SB_COUNT, 1)
#undef SB_PICK

#define SB_PACK(T, code, name, what)                                                                       \
  SB_DEVICE void name(T* dst, const T* src, const T* mask, sb_long n) {                                    \
    __sb_bang_filter(#name, what, sizeof(T), dst, src, mask, sizeof(T), n);                                \
  }                                                                                                        \
  SB_DEVICE void name##_bitindex(T* dst, const T* src, const void* mask, sb_long n) {                      \
    __sb_bang_filter(#name "_bitindex", what, sizeof(T), dst, src, mask, 0, n);                            \
  }
SB_ALL_TYPES(SB_PACK, __bang_select, SB_SELECT) SB_ALL_TYPES(SB_PACK, __bang_collect, SB_COLLECT)
SB_ALL_TYPES(SB_PACK, __bang_maskmove, SB_MASKMOVE)
#undef SB_PACK
#define SB_PACK_COUNTED(T, code, name)                                                                     \
  SB_DEVICE unsigned int name(T* dst, const T* src, const T* mask, sb_long n) {                            \
    return __sb_bang_filter(#name, SB_FILTER, sizeof(T), dst, src, mask, sizeof(T), n);                    \
  }                                                                                                        \
  SB_DEVICE unsigned int name##_bitindex(T* dst, const T* src, const void* mask, sb_long n) {              \
    return __sb_bang_filter(#name "_bitindex", SB_FILTER, sizeof(T), dst, src, mask, 0, n);                \
  }
SB_ALL_TYPES(SB_PACK_COUNTED, __bang_filter)
#undef SB_PACK_COUNTED

#define SB_COMPARE_BITS(T, code, name, operation)                                                          \
  SB_DEVICE void name##_bitindex(T* dst, const T* src0, const T* src1, sb_long n) {                        \
    __sb_bang_compare_bits(#name "_bitindex", operation, code, dst, src0, src1, 0, n);                     \
  }                                                                                                        \
  SB_DEVICE void name##_bitindex(T* dst, const T* src, T value, sb_long n) {                               \
    __sb_bang_compare_bits(#name "_bitindex", operation, code, dst, src, nullptr, sb_bits<T>(value), n);   \
  }
SB_FLOATS(SB_COMPARE_BITS, __bang_eq, SB_EQ) SB_FLOATS(SB_COMPARE_BITS, __bang_ne, SB_NE) SB_FLOATS(SB_COMPARE_BITS, __bang_lt, SB_LT)
SB_FLOATS(SB_COMPARE_BITS, __bang_le, SB_LE) SB_FLOATS(SB_COMPARE_BITS, __bang_gt, SB_GT) SB_FLOATS(SB_COMPARE_BITS, __bang_ge, SB_GE)
#undef SB_COMPARE_BITS


#define SB_LUT(T, I, name) \
  SB_DEVICE void name(T* dst, const I* src, const T* table, sb_long n, sb_long length) { __sb_bang_lut(#name, sizeof(T), dst, src, table, n, length); }
SB_LUT(int, int, __bang_lut_s32) SB_LUT(short, short, __bang_lut_s16) SB_LUT(int, unsigned int, __bang_lut) SB_LUT(float, unsigned int, __bang_lut)
SB_LUT(short, unsigned short, __bang_lut) SB_LUT(half, unsigned short, __bang_lut) SB_LUT(unsigned int, unsigned int, __bang_lut)
SB_LUT(unsigned short, unsigned short, __bang_lut) SB_LUT(int, int, __bang_lut)
#undef SB_LUT
