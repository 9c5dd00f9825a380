// Elements to other places, pooling, rows by offsets.
#pragma once

#define SB_LAYOUT(T, code, name, what) \
  SB_DEVICE void name(T* dst, const T* src, sb_long height, sb_long width) { __sb_bang_layout(#name, what, sizeof(T), dst, src, height, width); }
SB_ALL_TYPES(SB_LAYOUT, __bang_transpose, SB_TRANSPOSE) SB_ALL_TYPES(SB_LAYOUT, __bang_rotate90, SB_ROTATE90)
SB_ALL_TYPES(SB_LAYOUT, __bang_rotate180, SB_ROTATE180) SB_ALL_TYPES(SB_LAYOUT, __bang_rotate270, SB_ROTATE270)
SB_ALL_TYPES(SB_LAYOUT, __bang_mirror, SB_MIRROR)
#undef SB_LAYOUT

#define SB_PAD(T, code, name)                                                                                                          \
  SB_DEVICE void name(T* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long pad_h, sb_long pad_w) {                           \
    __sb_bang_pad(#name, sizeof(T), dst, src, c, h, w, pad_h, pad_h, pad_w, pad_w);                                                    \
  }                                                                                                                                    \
  SB_DEVICE void name(T* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long top, sb_long bottom, sb_long left, sb_long right) { \
    __sb_bang_pad(#name, sizeof(T), dst, src, c, h, w, top, bottom, left, right);                                                      \
  }
SB_ALL_TYPES(SB_PAD, __bang_pad)
#undef SB_PAD

#define SB_CHANNELS(T, code, name, first) \
  SB_DEVICE void name(T* dst, const T* src, sb_long n, sb_long h, sb_long w, sb_long c) { __sb_bang_channels(#name, first, sizeof(T), dst, src, n, h, w, c); }
SB_ALL_TYPES(SB_CHANNELS, __bang_reshape_nhwc2nchw, 1) SB_ALL_TYPES(SB_CHANNELS, __bang_reshape_nchw2nhwc, 0)
#undef SB_CHANNELS

#define SB_POOL_TO(To, T, code, name, what)                                                                                            \
  SB_DEVICE void name(To* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw) {                                \
    __sb_bang_pool(#name, what, code, dst, src, c, h, w, kh, kw, kw, kh, 0, 1, 1);                                                     \
  }                                                                                                                                    \
  SB_DEVICE void name(To* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw, sb_long stride_w, sb_long stride_h) { \
    __sb_bang_pool(#name, what, code, dst, src, c, h, w, kh, kw, stride_w, stride_h, 0, 1, 1);                                         \
  }
#define SB_POOL(T, code, name, what) SB_POOL_TO(T, T, code, name, what)
SB_FLOATS(SB_POOL, __bang_sumpool, SB_SUMPOOL) SB_FLOATS(SB_POOL, __bang_avgpool, SB_AVGPOOL) SB_FLOATS(SB_POOL, __bang_maxpool, SB_MAXPOOL)
SB_FLOATS(SB_POOL, __bang_minpool, SB_MINPOOL)
SB_POOL_TO(unsigned int, float, SB_F32, __bang_maxpool_index, SB_MAXPOOL_INDEX)
SB_POOL_TO(unsigned short, half, SB_F16, __bang_maxpool_index, SB_MAXPOOL_INDEX)
#undef SB_POOL
#undef SB_POOL_TO
#define SB_POOL_VALUE_INDEX(T, code, name)                                                                                             \
  SB_DEVICE void name(T* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw, sb_long stride_w, sb_long stride_h, \
                      sb_long value_index_stride, sb_long in_dh = 1, sb_long in_dw = 1, sb_long = 1, sb_long = 1) {                    \
    __sb_bang_pool(#name, SB_MAXPOOL_VALUE_INDEX, code, dst, src, c, h, w, kh, kw, stride_w, stride_h, value_index_stride, in_dh, in_dw); \
  }
SB_FLOATS(SB_POOL_VALUE_INDEX, __bang_maxpool_value_index)
#undef SB_POOL_VALUE_INDEX

enum mluPoolBPOverlap { OVERLAP_ACC, OVERLAP_COVER };
#define SB_UNPOOL(T, code, Index)                                                                                                      \
  SB_DEVICE void __bang_avgpool_bp(T* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw, sb_long stride_w,    \
                                   sb_long stride_h, mluPoolBPOverlap overlap = OVERLAP_ACC) {                                         \
    __sb_bang_unpool("__bang_avgpool_bp", 0, code, dst, src, nullptr, c, h, w, kh, kw, stride_w, stride_h, 0, overlap);                \
  }                                                                                                                                    \
  SB_DEVICE void __bang_maxpool_bp(T* dst, const T* src, const Index* mask, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw,   \
                                   sb_long stride_w, sb_long stride_h, mluPoolBPOverlap overlap = OVERLAP_ACC) {                       \
    __sb_bang_unpool("__bang_maxpool_bp", 1, code, dst, src, mask, c, h, w, kh, kw, stride_w, stride_h, 0, overlap);                   \
  }                                                                                                                                    \
  SB_DEVICE void __bang_unpool(T* dst, const T* src, sb_long c, sb_long h, sb_long w, sb_long kh, sb_long kw, sb_long stride_w,        \
                               sb_long stride_h, sb_long index) {                                                                      \
    __sb_bang_unpool("__bang_unpool", 2, code, dst, src, nullptr, c, h, w, kh, kw, stride_w, stride_h, index, 0);                      \
  }
SB_UNPOOL(float, SB_F32, int) SB_UNPOOL(half, SB_F16, short)
#undef SB_UNPOOL

#define SB_ROWS(name, is_async, is_scatter, gdram)                                                                                       \
  SB_DEVICE void name(void* dst, const void* src, const unsigned int* offset, sb_long bytes, mluMemcpyDirection_t dir, sb_long stride,   \
                      sb_long n) {                                                                                                      \
    __sb_bang_gather(#name, is_async, is_scatter, dir == gdram, dst, src, offset, nullptr, bytes, stride, n);                            \
  }                                                                                                                                     \
  SB_DEVICE void name(void* dst, const void* src, const unsigned int* offset, const void* bitmask, sb_long bytes,                        \
                      mluMemcpyDirection_t dir, sb_long stride, sb_long n) {                                                            \
    __sb_bang_gather(#name, is_async, is_scatter, dir == gdram, dst, src, offset, bitmask, bytes, stride, n);                            \
  }
SB_ROWS(__gather, 0, 0, GDRAM2NRAM) SB_ROWS(__gather_async, 1, 0, GDRAM2NRAM)
SB_ROWS(__scatter, 0, 1, NRAM2GDRAM) SB_ROWS(__scatter_async, 1, 1, NRAM2GDRAM)
#undef SB_ROWS
SB_DEVICE void __bang_gather_async(void* dst, const void* src, const unsigned int* offset, const void* bitmask, sb_long bytes, sb_long dst_stride, sb_long n) {
  __sb_bang_gather("__bang_gather_async", 1, 0, 1, dst, src, offset, bitmask, bytes, dst_stride, n);
}
SB_DEVICE void __bang_gather(void* dst, const void* src, const unsigned int* offset, const void* bitmask, sb_long bytes, sb_long dst_stride, sb_long n) {
  __sb_bang_gather("__bang_gather", 0, 0, 1, dst, src, offset, bitmask, bytes, dst_stride, n);
}
SB_DEVICE void __extension(void* dst, const void* src, const uint8_t* counts, sb_long bytes, mluMemcpyDirection_t, sb_long n) {
  __sb_bang_extend("__extension", dst, src, counts, bytes, n);
}

#define SB_INCSEQ(T, code, name) \
  SB_DEVICE void name(T* dst, sb_long n) { __sb_bang_incseq(#name, code, dst, n); }
SB_FLOATS(SB_INCSEQ, __bang_incseq) SB_WORDS(SB_INCSEQ, __bang_incseq) SB_SHORTS(SB_INCSEQ, __bang_incseq) SB_LONGS(SB_INCSEQ, __bang_incseq)
#undef SB_INCSEQ
