// What device code calls in the runtime. Not part of Ascend C.
#pragma once

#include "starbridge/asc_codes.h"
#include "starbridge/attributes.h"

typedef long long sb_long;
typedef unsigned long long sb_word;

// One vector instruction, or a chain of them over a whole tensor.
struct sb_vec {
  const char* name;
  int op, rounding;
  int type;          // of the arithmetic
  int to_type;       // of the result
  int src_count;     // operands in memory
  int src_type[3];
  int form;          // sb_form
  int repeat;
  int has_value;     // the last operand is `value`, of `type`
  int reads_dst;
  int is_sliced;     // strides count
  void* dst;
  const void* src[3];
  sb_word value;
  sb_word value2;
  sb_word mask[2];
  sb_long count;
  int dst_blk, dst_rep, src_blk[3], src_rep[3];
};

struct sb_reduce {
  const char* name;
  int what, scope, type, order, has_index, form, repeat;
  void* dst;
  const void* src;
  const void* scratch;
  sb_word mask[2];
  sb_long count;
  int dst_rep, src_blk, src_rep;
};

struct sb_copy {
  const char* name;
  int kind, size;            // size: of an element
  int type;
  void* dst;
  const void* src;
  sb_long blocks, bytes;     // how many, how long each
  sb_long src_stride, dst_stride;  // from start to start, bytes
  int left_bytes, right_bytes;
  int pads;                  // the padding has a value
  sb_word pad_value;
  sb_long asked_bytes;       // before it was rounded down; 0: nothing was
  sb_long nd[8];             // for conversions of layout
};

struct sb_select {
  const char* name;
  int mode, size, form, repeat, has_value;
  void* dst;
  const void *mask_bits, *src0, *src1;
  sb_word value, mask[2];
  sb_long count;
  int is_sliced;
  int dst_blk, dst_rep, src_blk[2], src_rep[2];
  int type;
};

struct sb_gather_mask {
  const char* name;
  int size, pattern, reduces, repeat, src_blk, src_rep, pattern_rep;
  void* dst;
  const void *src, *bits;
  sb_long mask;
};

struct sb_que {
  int id, src, dst, depth;  // id + 1; 0: not made by InitBuffer
};

struct sb_mmad {
  const char* name;
  int c_type, a_type, b_type, bias_type;
  void* c;
  const void *a, *b, *bias;
  int m, n, k, starts_at_zero, has_bias;
};

struct sb_load_call {
  const char* name;
  int type, repeat, src_stride, dst_gap, transposes, start, kind;
  void* dst;
  const void* src;
  int extra[8];
};

struct sb_fixpipe {
  const char* name;
  int to_type, from_type, m, n, src_stride, dst_stride, relu, nz2nd, quantises;
  int nd_count, nd_src_stride, nd_dst_stride;
  void* dst;
  const void* src;
  sb_word scale;
};

struct sb_matmul {
  const char* name;
  int a_type, b_type, c_type, bias_type;
  const void *a, *b, *bias;
  void* c;
  int a_transposed, b_transposed, a_format, b_format, c_format, accumulates;
  sb_long m, n, k, lda, ldb, ldc;
};

extern "C" {
__device__ void __sb_asc_vector(const sb_vec* call);
__device__ void __sb_asc_reduce(const sb_reduce* call);
__device__ void __sb_asc_copy(const sb_copy* call);
__device__ void __sb_asc_select(const sb_select* call);
__device__ sb_long __sb_asc_gather_mask(const sb_gather_mask* call);
__device__ void __sb_asc_gather(const char* name, int size, void* dst, const void* src, const void* offsets, sb_word base, sb_long count, int per_block, int repeat, int dst_blk, int dst_rep);
__device__ void __sb_asc_scatter(const char* name, int size, void* dst, const void* src, const void* offsets, sb_word base, sb_long count);
__device__ void __sb_asc_brcb(const char* name, int size, void* dst, const void* src, int repeat, int dst_blk, int dst_rep);
__device__ void __sb_asc_index(const char* name, int type, void* dst, sb_word first, sb_word step, sb_long count);
__device__ void __sb_asc_transpose(const char* name, int size, void* dst, const void* src, sb_long rows, sb_long columns);
__device__ void __sb_asc_to_5hd(const char* name, int size, const sb_word* dst, const sb_word* src, int dst_high, int src_high, int repeat, int dst_rep, int src_rep);
__device__ void __sb_asc_sort32(const char* name, int type, void* dst, const void* values, const void* indices, int repeat);
__device__ void __sb_asc_merge_sort(const char* name, int type, void* dst, const void* const* src, const unsigned short* lengths, unsigned valid, int repeat, int stops, unsigned* taken);
__device__ void __sb_asc_extract(const char* name, int type, void* values, void* indices, const void* sorted, int repeat);
__device__ void __sb_asc_row_function(const char* name, int what, int type, void* dst, const void* src, const void* a, const void* b, void* out_a, void* out_b, sb_long rows, sb_long columns, sb_long valid,
                                      float epsilon);
__device__ void __sb_asc_cumsum(const char* name, int type, void* dst, void* last_row, const void* src, sb_long rows, sb_long columns, int is_last_axis);
__device__ void __sb_asc_broadcast(const char* name, int size, void* dst, const void* src, int dims, const unsigned* to, const unsigned* from);
__device__ void __sb_asc_set_mask(sb_word high, sb_word low);
__device__ void __sb_asc_mask_mode(int counts);
__device__ void __sb_asc_set_compare_mask(const void* bits);
__device__ void __sb_asc_get_compare_mask(void* bits);
__device__ void __sb_asc_set_atomic(int what, int type);
__device__ sb_word __sb_asc_load(const void* at, int bytes);
__device__ void __sb_asc_store(void* at, int bytes, sb_word value);
__device__ void __sb_asc_cache(const void* at, int whole);
__device__ void __sb_asc_mmad(const sb_mmad* call);
__device__ void __sb_asc_load_data(const sb_load_call* call);
__device__ void __sb_asc_fixpipe(const sb_fixpipe* call);
__device__ void __sb_asc_fill_local(const char* name, void* dst, int repeat, int blocks, int gap, sb_word value, int size);
__device__ void __sb_asc_matmul(const sb_matmul* call);
__device__ void __sb_asc_set_flag(int from, int to, int id);
__device__ void __sb_asc_wait_flag(int from, int to, int id);
__device__ int __sb_asc_event(int from, int to, int takes);
__device__ void __sb_asc_release_event(int from, int to, int id);
__device__ void __sb_asc_barrier(int pipe);
__device__ void __sb_asc_sync_all(int only_vector, const void* gm, const void* local, int cores);
__device__ void __sb_asc_cross_set(int mode, int pipe, int id);
__device__ void __sb_asc_cross_wait(int id, int pipe);
__device__ void __sb_asc_ib_set(const void* gm, const void* local, int block, int event);
__device__ void __sb_asc_ib_wait(const void* gm, const void* local, int block, int event);
__device__ int __sb_asc_system(int what);
__device__ char* __sb_asc_workspace(int what, void* given);
__device__ void __sb_asc_pipe_start(void);
__device__ void __sb_asc_pipe_end(void);
__device__ void __sb_asc_que_init(struct sb_que* que, int src, int dst, int depth, int count, sb_long bytes, int is_buffer);
__device__ char* __sb_asc_que_alloc(struct sb_que* que, sb_word* bytes);
__device__ void __sb_asc_que_free(struct sb_que* que, const void* at);
__device__ void __sb_asc_que_enque(struct sb_que* que, const void* at);
__device__ char* __sb_asc_que_deque(struct sb_que* que, sb_word* bytes);
__device__ int __sb_asc_que_state(const struct sb_que* que, int what);
__device__ char* __sb_asc_buf_get(struct sb_que* que, sb_word offset, sb_word bytes, sb_word* capacity);
__device__ char* __sb_asc_local(int position, sb_word address, sb_word bytes);
__device__ void __sb_asc_task_type(int key, int type);
__device__ unsigned __sb_asc_tiling_key(void);
__device__ void __sb_asc_check_tiling(const void* at, sb_long bytes);
__device__ __attribute__((noreturn)) void __sb_asc_trap(void);
__device__ void __sb_asc_refuse(const char* name, const char* en, const char* zh);
__device__ void __sb_asc_dump(const char* name, int type, const void* at, sb_long count, unsigned number);
}
