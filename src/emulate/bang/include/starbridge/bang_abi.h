// What device code calls in the runtime. Not part of BANG C.
#pragma once

typedef long long sb_long;
typedef unsigned long long sb_word;

extern "C" {
__device__ void __sb_bang_binary(const char* name, int operation, int type, void* to, const void* a, const void* b, sb_long n);
__device__ void __sb_bang_binary_value(const char* name, int operation, int type, void* to, const void* a, sb_word value, sb_long n);
__device__ void __sb_bang_cycle(const char* name, int operation, int type, void* to, const void* a, const void* segment, sb_long n, sb_long segment_n);
__device__ void __sb_bang_unary(const char* name, int operation, int type, void* to, const void* from, sb_long n);
__device__ void __sb_bang_fusion(const char* name, int operation, int type, void* to, const void* a, const void* b, sb_word b_value, sb_long b_n,
                                 const void* c, sb_word c_value, sb_long c_n, sb_long n);
__device__ void __sb_bang_convert(const char* name, int from_type, int to_type, int rounding, void* to, const void* from, sb_long n,
                                  int from_position, int to_position, sb_long to_stride, sb_long from_stride, sb_long segments);
__device__ void __sb_bang_copy(const char* name, int is_async, void* to, const void* from, sb_long bytes, int direction);
__device__ void __sb_bang_copy_cluster(const char* name, int is_async, void* to, const void* from, sb_long bytes, int direction, int cluster);
__device__ void __sb_bang_copy_2d(const char* name, int is_async, void* to, const void* from, sb_long bytes, int direction, sb_long to_stride,
                                  sb_long from_stride, sb_long segments, int cluster);
__device__ void __sb_bang_copy_3d(const char* name, int is_async, void* to, const void* from, sb_long bytes, int direction, sb_long to_stride0,
                                  sb_long to_segments1, sb_long to_stride1, sb_long to_segments2, sb_long from_stride0, sb_long from_segments1,
                                  sb_long from_stride1, sb_long from_segments2, int cluster);
__device__ void __sb_bang_fill(const char* name, int pipe, int is_async, unsigned spaces, int size, void* to, sb_long count, sb_word value,
                               sb_long stride0, sb_long times0, sb_long stride1, sb_long times1);
__device__ void __sb_bang_reduce(const char* name, int what, int type, void* to, const void* from, sb_long n);
__device__ float __sb_bang_sum(const char* name, int type, const void* from, sb_long n);
__device__ unsigned __sb_bang_pick(const char* name, int what, int type, void* to, const void* from, sb_long n, int is_bits);
__device__ unsigned __sb_bang_filter(const char* name, int what, int size, void* to, const void* from, const void* mask, int mask_size, sb_long n);
__device__ void __sb_bang_compare_bits(const char* name, int operation, int type, void* to, const void* a, const void* b, sb_word value, sb_long n);
__device__ void __sb_bang_extend(const char* name, void* to, const void* from, const unsigned char* counts, sb_long bytes, sb_long n);
__device__ void __sb_bang_lut(const char* name, int size, void* to, const void* from, const void* table, sb_long n, sb_long table_n);
__device__ void __sb_bang_layout(const char* name, int what, int size, void* to, const void* from, sb_long h, sb_long w);
__device__ void __sb_bang_pad(const char* name, int size, void* to, const void* from, sb_long channels, sb_long h, sb_long w, sb_long top, sb_long bottom,
                              sb_long left, sb_long right);
__device__ void __sb_bang_channels(const char* name, int to_channels_first, int size, void* to, const void* from, sb_long n, sb_long h, sb_long w,
                                   sb_long c);
__device__ void __sb_bang_pool(const char* name, int what, int type, void* to, const void* from, sb_long channels, sb_long h, sb_long w, sb_long kernel_h,
                               sb_long kernel_w, sb_long stride_w, sb_long stride_h, sb_long index_offset, sb_long dilation_h, sb_long dilation_w);
__device__ void __sb_bang_unpool(const char* name, int what, int type, void* to, const void* from, const void* mask, sb_long channels, sb_long h,
                                 sb_long w, sb_long kernel_h, sb_long kernel_w, sb_long stride_w, sb_long stride_h, sb_long index, int covers);
__device__ void __sb_bang_gather(const char* name, int is_async, int is_scatter, int in_gdram, void* to, const void* from, const unsigned* offsets, const void* mask,
                                 sb_long bytes, sb_long to_stride, sb_long n);
__device__ void __sb_bang_incseq(const char* name, int type, void* to, sb_long n);
__device__ void __sb_bang_reshape_filter(const char* name, int size, void* to, const void* from, sb_long n, sb_long h, sb_long w, sb_long c);
__device__ void __sb_bang_conv(const char* name, int to_type, int from_type, int weight_type, void* to, const void* from, const void* weights,
                               const void* bias, const void* partial, sb_long ci, sb_long h, sb_long w, sb_long kh, sb_long kw, sb_long stride_w,
                               sb_long stride_h, sb_long co, int position, sb_long dilation_w, sb_long dilation_h);
__device__ void __sb_bang_matmul(const char* name, int to_type, int from_type, int weight_type, void* to, const void* left, const void* right,
                                 const void* bias, sb_long m, sb_long k, sb_long n, int position);
__device__ void __sb_bang_expand_channel_mul(const char* name, int type, void* to, const void* factors, const void* scratch, const void* values,
                                             const void* added, sb_long n, sb_long channels);
__device__ void __sb_bang_atomic(const char* name, int operation, int type, void* old, void* at, const void* values, sb_word value, sb_long n);
__device__ void __sb_bang_atomic_cas(const char* name, int type, void* old, void* at, sb_word expected, sb_word value);
__device__ int __sb_bang_space(const void* address);
__device__ sb_long __sb_bang_whole(float value, int rounding);
__device__ void __sb_bang_sync(unsigned pipes);
__device__ void __sb_bang_work(unsigned plain, unsigned functions);
__device__ void __sb_bang_meet(int meeting);
__device__ __attribute__((noreturn)) void __sb_bang_abort();
}
