// Copies and fills.
#pragma once

#define SB_COPY(name, is_async)                                                                                                                  \
  SB_DEVICE void name(void* dst, const void* src, sb_long bytes, mluMemcpyDirection_t dir) { __sb_bang_copy(#name, is_async, dst, src, bytes, dir); } \
  SB_DEVICE void name(void* dst, const void* src, sb_long bytes, mluMemcpyDirection_t dir, int id_dst_cluster) {                                 \
    __sb_bang_copy_cluster(#name, is_async, dst, src, bytes, dir, id_dst_cluster);                                                               \
  }                                                                                                                                              \
  SB_DEVICE void name(void* dst, const void* src, sb_long bytes, mluMemcpyDirection_t dir, sb_long dst_stride, sb_long src_stride,               \
                      sb_long segnum) {                                                                                                          \
    __sb_bang_copy_2d(#name, is_async, dst, src, bytes, dir, dst_stride, src_stride, segnum, -1);                                                \
  }                                                                                                                                              \
  SB_DEVICE void name(void* dst, const void* src, sb_long bytes, mluMemcpyDirection_t dir, sb_long dst_stride, sb_long src_stride,               \
                      sb_long segnum, int id_dst_cluster) {                                                                                      \
    __sb_bang_copy_2d(#name, is_async, dst, src, bytes, dir, dst_stride, src_stride, segnum, id_dst_cluster);                                    \
  }                                                                                                                                              \
  SB_DEVICE void name(void* dst, const void* src, sb_long bytes, mluMemcpyDirection_t dir, sb_long dst_stride0, sb_long dst_segnum1,             \
                      sb_long dst_stride1, sb_long dst_segnum2, sb_long src_stride0, sb_long src_segnum1, sb_long src_stride1,                   \
                      sb_long src_segnum2, int id_dst_cluster = -1) {                                                                            \
    __sb_bang_copy_3d(#name, is_async, dst, src, bytes, dir, dst_stride0, dst_segnum1, dst_stride1, dst_segnum2, src_stride0, src_segnum1,       \
                      src_stride1, src_segnum2, id_dst_cluster);                                                                                 \
  }
SB_COPY(__memcpy, 0)
SB_COPY(__memcpy_async, 1)
#undef SB_COPY

SB_DEVICE void __memcpy_nram_to_nram(void* dst, const void* src, sb_long bytes, sb_long dst_stride, sb_long src_stride, sb_long segnum) {
  __sb_bang_copy_2d("__memcpy_nram_to_nram", 0, dst, src, bytes, NRAM2NRAM, dst_stride, src_stride, segnum, -1);
}
SB_DEVICE void __bang_move(void* dst, const void* src, sb_long bytes) { __sb_bang_copy("__bang_move", 0, dst, src, bytes, NRAM2NRAM); }
SB_DEVICE void __bang_move(void* dst, const void* src, sb_long bytes, sb_long dst_stride, sb_long src_stride, sb_long segnum) {
  __sb_bang_copy_2d("__bang_move", 0, dst, src, bytes, NRAM2NRAM, dst_stride, src_stride, segnum, -1);
}

// Pipes and spaces as the runtime numbers them: compute 1, io 2, move 3; NRAM 1, WRAM 2, SRAM 4, LDRAM 8, GDRAM 16. What is written is as wide as the value,
// whatever the pointer says; a constant like 1.0 is a float, as everywhere on these chips.
#define SB_FILL(T, code, name, pipe, is_async, spaces)                                                                              \
  SB_DEVICE void name(void* dst, sb_long count, T value) {                                                                             \
    __sb_bang_fill(#name, pipe, is_async, spaces, sizeof(T), dst, count, sb_bits<T>(value), 0, 0, 0, 0);                            \
  }
#define SB_FILL_STRIDED(T, code, name, pipe, is_async, spaces)                                                                      \
  SB_FILL(T, code, name, pipe, is_async, spaces)                                                                                    \
  SB_DEVICE void name(void* dst, sb_long count, T value, sb_long stride0, sb_long iter1) {                                             \
    __sb_bang_fill(#name, pipe, is_async, spaces, sizeof(T), dst, count, sb_bits<T>(value), stride0, iter1, 0, 0);                  \
  }                                                                                                                                 \
  SB_DEVICE void name(void* dst, sb_long count, T value, sb_long stride0, sb_long iter1, sb_long stride1, sb_long iter2) {             \
    __sb_bang_fill(#name, pipe, is_async, spaces, sizeof(T), dst, count, sb_bits<T>(value), stride0, iter1, stride1, iter2);        \
  }
#define SB_FILLS(X, name, ...)       \
  SB_ALL_TYPES(X, name, __VA_ARGS__) \
  X(bool, SB_U8, name, __VA_ARGS__)  \
  SB_DEVICE void name(void* dst, sb_long count, double value) { name(dst, count, static_cast<float>(value)); }
SB_FILLS(SB_FILL_STRIDED, __bang_write_value, 1, 0, 1)
SB_FILLS(SB_FILL_STRIDED, __nramset, 1, 0, 1)
SB_FILLS(SB_FILL_STRIDED, __nramset_async, 1, 1, 1)
SB_FILLS(SB_FILL, __memset_nram, 1, 0, 1)
SB_FILLS(SB_FILL, __gdramset, 2, 0, 16)
SB_FILLS(SB_FILL, __ldramset, 2, 0, 8)
SB_FILLS(SB_FILL, __sramset, 3, 0, 4)
#undef SB_FILLS
#define SB_ZERO(T, code, name) \
  SB_DEVICE void name(T* dst, sb_long count) { __sb_bang_fill(#name, 1, 0, 1, sizeof(T), dst, count, 0, 0, 0, 0, 0); }
SB_ALL_TYPES(SB_ZERO, __bang_write_zero)
