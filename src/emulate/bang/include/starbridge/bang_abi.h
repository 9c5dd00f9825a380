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
__device__ void __sb_bang_sync(unsigned pipes);
__device__ void __sb_bang_meet(int meeting);
__device__ __attribute__((noreturn)) void __sb_bang_abort();
}
