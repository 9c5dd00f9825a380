// Scalar conversions and loads, and the vector functions of the chip's mathematical library.
#pragma once

#define SB_SCALAR_MODES(kind, name, ...)                                                                                      \
  kind(name, __VA_ARGS__, SB_TZ) kind(name##_tz, __VA_ARGS__, SB_TZ) kind(name##_oz, __VA_ARGS__, SB_OZ) kind(name##_up, __VA_ARGS__, SB_UP) \
  kind(name##_dn, __VA_ARGS__, SB_DN) kind(name##_rd, __VA_ARGS__, SB_RD) kind(name##_rm, __VA_ARGS__, SB_RM) kind(name##_rn, __VA_ARGS__, SB_RN)
#define SB_SCALAR_WHOLE(name, From, To, mode) \
  SB_DEVICE To name(From value) { return (To)__sb_bang_whole((float)value, mode); }
SB_SCALAR_MODES(SB_SCALAR_WHOLE, __float2int32, float, int) SB_SCALAR_MODES(SB_SCALAR_WHOLE, __half2int32, half, int)
SB_SCALAR_MODES(SB_SCALAR_WHOLE, __float2int16, float, short) SB_SCALAR_MODES(SB_SCALAR_WHOLE, __half2int16, half, short)
SB_SCALAR_MODES(SB_SCALAR_WHOLE, __float2int, float, int) SB_SCALAR_MODES(SB_SCALAR_WHOLE, __half2short, half, short)
SB_SCALAR_MODES(SB_SCALAR_WHOLE, __half2int, half, int)
#undef SB_SCALAR_WHOLE
#define SB_SCALAR_CAST(name, From, To) \
  SB_DEVICE To name(From value) { return (To)value; }
SB_SCALAR_CAST(__half2float, half, float) SB_SCALAR_CAST(__float2half_rn, float, half) SB_SCALAR_CAST(__bfloat162float, bfloat16_t, float)
SB_SCALAR_CAST(__float2bfloat16_rn, float, bfloat16_t) SB_SCALAR_CAST(__int322float, int, float) SB_SCALAR_CAST(__int2float, int, float)
SB_SCALAR_CAST(__short2half, short, half) SB_SCALAR_CAST(__int162half, short, half) SB_SCALAR_CAST(__int322half, int, half)
#undef SB_SCALAR_CAST

#define SB_LOAD_STORE(space)                                                       \
  template <class T>                                                               \
  SB_DEVICE T __load_##space(const T* from) { return *from; }                      \
  template <class T>                                                               \
  SB_DEVICE void __store_##space(T* to, T value) { *to = value; }
SB_LOAD_STORE(nram) SB_LOAD_STORE(gdram) SB_LOAD_STORE(sram) SB_LOAD_STORE(ldram)
#undef SB_LOAD_STORE

// n comes first.
#define SB_CN_VECTOR(name, operation, T, code) \
  SB_DEVICE void name(sb_long n, T* dst, const T* src) { __sb_bang_unary(#name, operation, code, dst, src, n); }
#define SB_CN(name, operation) SB_CN_VECTOR(__cn_vector_##name##_f32, operation, float, SB_F32) SB_CN_VECTOR(__cn_vector_##name##_f16, operation, half, SB_F16)
SB_CN(sin, SB_SIN) SB_CN(cos, SB_COS) SB_CN(exp, SB_EXP) SB_CN(log, SB_LOG) SB_CN(sqrt, SB_SQRT) SB_CN(tanh, SB_TANH) SB_CN(abs, SB_ABS)
SB_CN(log2, SB_LOG2) SB_CN(exp2, SB_EXP2) SB_CN(log1p, SB_LOG1P) SB_CN(erf, SB_ERF)
#undef SB_CN
#undef SB_CN_VECTOR
SB_DEVICE void __cn_vector_cast_f32_to_s32(sb_long n, int* dst, const float* src) {
  __sb_bang_convert("__cn_vector_cast_f32_to_s32", SB_F32, SB_S32, SB_TZ, dst, src, n, 0, 0, 0, 0, 0);
}
SB_DEVICE void __cn_vector_mod_scalar_u64(sb_long n, uint64_t* dst, const uint64_t* src, uint64_t value) {
  __sb_bang_binary_value("__cn_vector_mod_scalar_u64", SB_REM, SB_U64, dst, src, value, n);
}
SB_DEVICE void __cn_vector_hypot_f32(sb_long n, float* dst, const float* src0, const float* src1) {
  __sb_bang_binary("__cn_vector_hypot_f32", SB_HYPOT, SB_F32, dst, src0, src1, n);
}
SB_DEVICE float __cn_scalar_sin_f32(float value) { return sinf(value); }
SB_DEVICE float __cn_scalar_cos_f32(float value) { return cosf(value); }
SB_DEVICE half __cn_scalar_sin_f16(half value) { return (half)sinf((float)value); }
SB_DEVICE half __cn_scalar_cos_f16(half value) { return (half)cosf((float)value); }
SB_DEVICE float __cn_scalar_exp_f32(float value) { return expf(value); }
SB_DEVICE float __cn_scalar_log_f32(float value) { return logf(value); }
SB_DEVICE float __cn_scalar_sqrt_f32(float value) { return sqrtf(value); }
SB_DEVICE float __cn_scalar_tanh_f32(float value) { return tanhf(value); }
SB_DEVICE float __cn_scalar_floor_f32(float value) { return floorf(value); }
SB_DEVICE bool __is_dram(const void* p) { return __sb_bang_space(p) >= 3; }
SB_DEVICE bool __is_nram(const void* p) { return __sb_bang_space(p) == 0; }
SB_DEVICE bool __is_wram(const void* p) { return __sb_bang_space(p) == 1; }
SB_DEVICE bool __is_sram(const void* p) { return __sb_bang_space(p) == 2; }
