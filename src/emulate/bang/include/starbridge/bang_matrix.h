// Matrix built-ins. Weights lie in WRAM, put in order by __bang_reshape_filter.
#pragma once

#define SB_RESHAPE(T, code, name) \
  SB_DEVICE void name(T* dst, const T* src, sb_long n, sb_long h, sb_long w, sb_long c) { __sb_bang_reshape_filter(#name, sizeof(T), dst, src, n, h, w, c); }
SB_FLOATS(SB_RESHAPE, __bang_reshape_filter) SB_INTEGERS(SB_RESHAPE, __bang_reshape_filter)
#undef SB_RESHAPE

// With floating elements there is no position; with integers it comes after the number of output channels.
#define SB_CONV(To, to, From, from, Weight, weight)                                                                                       \
  SB_DEVICE void __bang_conv(To* dst, const From* src, const Weight* kernel, sb_long ci, sb_long h, sb_long w, sb_long kh, sb_long kw,    \
                             sb_long stride_w, sb_long stride_h, sb_long co) {                                                            \
    __sb_bang_conv("__bang_conv", to, from, weight, dst, src, kernel, nullptr, nullptr, ci, h, w, kh, kw, stride_w, stride_h, co, 0, 1, 1); \
  }                                                                                                                                       \
  SB_DEVICE void __bang_conv(To* dst, const From* src, const Weight* kernel, sb_long ci, sb_long h, sb_long w, sb_long kh, sb_long kw,    \
                             sb_long stride_w, sb_long stride_h, sb_long co, sb_long dilation_w, sb_long dilation_h) {                    \
    __sb_bang_conv("__bang_conv", to, from, weight, dst, src, kernel, nullptr, nullptr, ci, h, w, kh, kw, stride_w, stride_h, co, 0,      \
                   dilation_w, dilation_h);                                                                                               \
  }                                                                                                                                       \
  SB_DEVICE void __bang_conv(To* dst, const From* src, const Weight* kernel, const To* bias, sb_long ci, sb_long h, sb_long w, sb_long kh, \
                             sb_long kw, sb_long stride_w, sb_long stride_h, sb_long co) {                                                \
    __sb_bang_conv("__bang_conv", to, from, weight, dst, src, kernel, bias, nullptr, ci, h, w, kh, kw, stride_w, stride_h, co, 0, 1, 1);  \
  }                                                                                                                                       \
  SB_DEVICE void __bang_conv_partial(To* dst, const From* src, const Weight* kernel, const To* partial, sb_long ci, sb_long h, sb_long w, \
                                     sb_long kh, sb_long kw, sb_long stride_w, sb_long stride_h, sb_long co) {                            \
    __sb_bang_conv("__bang_conv_partial", to, from, weight, dst, src, kernel, nullptr, partial, ci, h, w, kh, kw, stride_w, stride_h, co, 0, 1, 1); \
  }
SB_CONV(float, SB_F32, float, SB_F32, float, SB_F32) SB_CONV(half, SB_F16, half, SB_F16, half, SB_F16) SB_CONV(float, SB_F32, half, SB_F16, half, SB_F16)
SB_CONV(bfloat16_t, SB_BF16, bfloat16_t, SB_BF16, bfloat16_t, SB_BF16) SB_CONV(float, SB_F32, bfloat16_t, SB_BF16, bfloat16_t, SB_BF16)
#undef SB_CONV
#define SB_CONV_FIXED(To, to, From, from, Weight, weight)                                                                                 \
  SB_DEVICE void __bang_conv(To* dst, const From* src, const Weight* kernel, sb_long ci, sb_long h, sb_long w, sb_long kh, sb_long kw,    \
                             sb_long stride_w, sb_long stride_h, sb_long co, int position, sb_long dilation_w = 1, sb_long dilation_h = 1) { \
    __sb_bang_conv("__bang_conv", to, from, weight, dst, src, kernel, nullptr, nullptr, ci, h, w, kh, kw, stride_w, stride_h, co, position, \
                   dilation_w, dilation_h);                                                                                               \
  }                                                                                                                                       \
  SB_DEVICE void __bang_conv(To* dst, const From* src, const Weight* kernel, const To* bias, sb_long ci, sb_long h, sb_long w, sb_long kh, \
                             sb_long kw, sb_long stride_w, sb_long stride_h, sb_long co, int position, sb_long dilation_w = 1,            \
                             sb_long dilation_h = 1) {                                                                                    \
    __sb_bang_conv("__bang_conv", to, from, weight, dst, src, kernel, bias, nullptr, ci, h, w, kh, kw, stride_w, stride_h, co, position,  \
                   dilation_w, dilation_h);                                                                                               \
  }                                                                                                                                       \
  SB_DEVICE void __bang_conv_partial(To* dst, const From* src, const Weight* kernel, const To* partial, sb_long ci, sb_long h, sb_long w, \
                                     sb_long kh, sb_long kw, sb_long stride_w, sb_long stride_h, sb_long co, int position) {              \
    __sb_bang_conv("__bang_conv_partial", to, from, weight, dst, src, kernel, nullptr, partial, ci, h, w, kh, kw, stride_w, stride_h, co, \
                   position, 1, 1);                                                                                                       \
  }
#define SB_CONV_FIXED_TO(To, to)                                                                                                          \
  SB_CONV_FIXED(To, to, signed char, SB_S8, signed char, SB_S8) SB_CONV_FIXED(To, to, short, SB_S16, signed char, SB_S8)                  \
  SB_CONV_FIXED(To, to, short, SB_S16, short, SB_S16)
SB_CONV_FIXED_TO(float, SB_F32) SB_CONV_FIXED_TO(half, SB_F16) SB_CONV_FIXED_TO(short, SB_S16)
#undef SB_CONV_FIXED_TO
#undef SB_CONV_FIXED

// dst[m][n] = left[m][k] * right[k][n].
#define SB_MATMUL(To, to, From, from, Weight, weight)                                                                                     \
  SB_DEVICE void __bang_matmul(To* dst, const From* left, const Weight* right, sb_long m, sb_long k, sb_long n) {                         \
    __sb_bang_matmul("__bang_matmul", to, from, weight, dst, left, right, nullptr, m, k, n, 0);                                           \
  }
SB_MATMUL(float, SB_F32, float, SB_F32, float, SB_F32) SB_MATMUL(half, SB_F16, half, SB_F16, half, SB_F16) SB_MATMUL(float, SB_F32, half, SB_F16, half, SB_F16)
SB_MATMUL(float, SB_F32, bfloat16_t, SB_BF16, bfloat16_t, SB_BF16)
#undef SB_MATMUL
#define SB_MATMUL_FIXED(To, to, From, from, Weight, weight)                                                                               \
  SB_DEVICE void __bang_matmul(To* dst, const From* left, const Weight* right, sb_long m, sb_long k, sb_long n, int position) {           \
    __sb_bang_matmul("__bang_matmul", to, from, weight, dst, left, right, nullptr, m, k, n, position);                                    \
  }
SB_MATMUL_FIXED(float, SB_F32, signed char, SB_S8, signed char, SB_S8) SB_MATMUL_FIXED(half, SB_F16, signed char, SB_S8, signed char, SB_S8)
SB_MATMUL_FIXED(float, SB_F32, short, SB_S16, signed char, SB_S8) SB_MATMUL_FIXED(float, SB_F32, short, SB_S16, short, SB_S16)
SB_MATMUL_FIXED(half, SB_F16, short, SB_S16, short, SB_S16)
#undef SB_MATMUL_FIXED
// dst[height] = weight[height][width] * src[width] (+ bias[height]).
#define SB_MLP(To, to, From, from, Weight, weight)                                                                                        \
  SB_DEVICE void __bang_mlp(To* dst, const From* src, const Weight* weights, sb_long height, sb_long width, int position = 0) {           \
    __sb_bang_matmul("__bang_mlp", to, from, weight, dst, src, weights, nullptr, 1, width, height, position);                             \
  }                                                                                                                                       \
  SB_DEVICE void __bang_mlp(To* dst, const From* src, const To* bias, const Weight* weights, sb_long height, sb_long width, int position = 0) { \
    __sb_bang_matmul("__bang_mlp", to, from, weight, dst, src, weights, bias, 1, width, height, position);                                \
  }
SB_MLP(float, SB_F32, float, SB_F32, float, SB_F32) SB_MLP(half, SB_F16, half, SB_F16, half, SB_F16) SB_MLP(half, SB_F16, signed char, SB_S8, signed char, SB_S8)
SB_MLP(half, SB_F16, short, SB_S16, signed char, SB_S8) SB_MLP(half, SB_F16, short, SB_S16, short, SB_S16) SB_MLP(float, SB_F32, signed char, SB_S8, signed char, SB_S8)
SB_MLP(float, SB_F32, short, SB_S16, signed char, SB_S8) SB_MLP(float, SB_F32, short, SB_S16, short, SB_S16)
#undef SB_MLP

#define SB_EXPAND(T, code, name)                                                                                                          \
  SB_DEVICE void name(T* dst, const T* factors, T* scratch, const T* src, sb_long n, sb_long channels) {                                  \
    __sb_bang_expand_channel_mul(#name, code, dst, factors, scratch, src, nullptr, n, channels);                                          \
  }                                                                                                                                       \
  SB_DEVICE void name##_add(T* dst, const T* factors, T* scratch, const T* src, const T* added, sb_long n, sb_long channels) {            \
    __sb_bang_expand_channel_mul(#name "_add", code, dst, factors, scratch, src, added, n, channels);                                     \
  }
SB_FLOATS(SB_EXPAND, __bang_expand_channel_mul)
#undef SB_EXPAND
