// Conversions. Without a mode in the name: toward zero where digits are lost. Where an integer of 8 or 16 bits stands for a real
// number, real = integer * 2^position.
#pragma once

#define SB_CONVERT(name, From, from_code, To, to_code, mode)                                                                      \
  SB_DEVICE void name(To* dst, const From* src, sb_long n) { __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, 0, 0, 0, 0, 0); }
#define SB_CONVERT_TO_FIXED(name, From, from_code, To, to_code, mode)                                                             \
  SB_DEVICE void name(To* dst, const From* src, sb_long n, int position = 0) {                                                    \
    __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, 0, position, 0, 0, 0);                                        \
  }                                                                                                                               \
  SB_DEVICE void name(To* dst, const From* src, sb_long n, int position, sb_long dst_stride, sb_long src_stride, sb_long segnum) { \
    __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, 0, position, dst_stride, src_stride, segnum);                 \
  }
#define SB_CONVERT_FROM_FIXED(name, From, from_code, To, to_code, mode)                                                           \
  SB_DEVICE void name(To* dst, const From* src, sb_long n, int position = 0) {                                                    \
    __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, position, 0, 0, 0, 0);                                        \
  }                                                                                                                               \
  SB_DEVICE void name(To* dst, const From* src, sb_long n, int position, sb_long dst_stride, sb_long src_stride, sb_long segnum) { \
    __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, position, 0, dst_stride, src_stride, segnum);                 \
  }
#define SB_CONVERT_FIXED(name, From, from_code, To, to_code, mode)                                                                \
  SB_DEVICE void name(To* dst, const From* src, sb_long n, int src_position = 0, int dst_position = 0) {                          \
    __sb_bang_convert(#name, from_code, to_code, mode, dst, src, n, src_position, dst_position, 0, 0, 0);                         \
  }
#define SB_MODES(kind, name, ...)                                                                                                 \
  kind(name, __VA_ARGS__, SB_TZ) kind(name##_tz, __VA_ARGS__, SB_TZ) kind(name##_oz, __VA_ARGS__, SB_OZ)                          \
  kind(name##_up, __VA_ARGS__, SB_UP) kind(name##_dn, __VA_ARGS__, SB_DN) kind(name##_rd, __VA_ARGS__, SB_RD)                     \
  kind(name##_rm, __VA_ARGS__, SB_RM) kind(name##_rn, __VA_ARGS__, SB_RN)

SB_CONVERT(__bang_half2float, half, SB_F16, float, SB_F32, SB_RN)
SB_CONVERT(__bang_bfloat162float, bfloat16_t, SB_BF16, float, SB_F32, SB_RN)
SB_MODES(SB_CONVERT, __bang_float2half, float, SB_F32, half, SB_F16)
SB_MODES(SB_CONVERT, __bang_float2bfloat16, float, SB_F32, bfloat16_t, SB_BF16)
SB_MODES(SB_CONVERT, __bang_bfloat162half, bfloat16_t, SB_BF16, half, SB_F16)
SB_MODES(SB_CONVERT, __bang_half2bfloat16, half, SB_F16, bfloat16_t, SB_BF16)

#define SB_TO_FIXED(bits, T, code, U, ucode)                                                                                      \
  SB_MODES(SB_CONVERT_TO_FIXED, __bang_float2int##bits, float, SB_F32, T, code)                                                   \
  SB_MODES(SB_CONVERT_TO_FIXED, __bang_half2int##bits, half, SB_F16, T, code)                                                     \
  SB_MODES(SB_CONVERT_TO_FIXED, __bang_bfloat162int##bits, bfloat16_t, SB_BF16, T, code)                                          \
  SB_MODES(SB_CONVERT_TO_FIXED, __bang_float2uint##bits, float, SB_F32, U, ucode)                                                 \
  SB_MODES(SB_CONVERT_TO_FIXED, __bang_half2uint##bits, half, SB_F16, U, ucode)                                                   \
  SB_MODES(SB_CONVERT_FROM_FIXED, __bang_int##bits##2float, T, code, float, SB_F32)                                               \
  SB_MODES(SB_CONVERT_FROM_FIXED, __bang_int##bits##2half, T, code, half, SB_F16)                                                 \
  SB_MODES(SB_CONVERT_FROM_FIXED, __bang_int##bits##2bfloat16, T, code, bfloat16_t, SB_BF16)                                      \
  SB_MODES(SB_CONVERT_FROM_FIXED, __bang_uint##bits##2float, U, ucode, float, SB_F32)                                             \
  SB_MODES(SB_CONVERT_FROM_FIXED, __bang_uint##bits##2half, U, ucode, half, SB_F16)
SB_TO_FIXED(32, int, SB_S32, unsigned int, SB_U32)
SB_TO_FIXED(16, short, SB_S16, unsigned short, SB_U16)
SB_TO_FIXED(8, signed char, SB_S8, unsigned char, SB_U8)
#undef SB_TO_FIXED
SB_MODES(SB_CONVERT_TO_FIXED, __bang_float2int, float, SB_F32, int, SB_S32)
SB_MODES(SB_CONVERT_FROM_FIXED, __bang_int2float, int, SB_S32, float, SB_F32)
SB_MODES(SB_CONVERT_TO_FIXED, __bang_half2short, half, SB_F16, short, SB_S16)
SB_MODES(SB_CONVERT_FROM_FIXED, __bang_short2half, short, SB_S16, half, SB_F16)
SB_MODES(SB_CONVERT_TO_FIXED, __bang_half2char, half, SB_F16, signed char, SB_S8)
SB_MODES(SB_CONVERT_TO_FIXED, __bang_half2uchar, half, SB_F16, unsigned char, SB_U8)
SB_MODES(SB_CONVERT_FROM_FIXED, __bang_uchar2half, unsigned char, SB_U8, half, SB_F16)
SB_MODES(SB_CONVERT_FROM_FIXED, __bang_char2half, signed char, SB_S8, half, SB_F16)
SB_MODES(SB_CONVERT_FIXED, __bang_int322int16, int, SB_S32, short, SB_S16)
SB_MODES(SB_CONVERT_FIXED, __bang_int322int8, int, SB_S32, signed char, SB_S8)
SB_MODES(SB_CONVERT_FIXED, __bang_int162int32, short, SB_S16, int, SB_S32)
SB_MODES(SB_CONVERT_FIXED, __bang_int162int8, short, SB_S16, signed char, SB_S8)
SB_MODES(SB_CONVERT_FIXED, __bang_int82int16, signed char, SB_S8, short, SB_S16)
SB_MODES(SB_CONVERT_FIXED, __bang_int82int32, signed char, SB_S8, int, SB_S32)
