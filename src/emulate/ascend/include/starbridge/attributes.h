// The words of Ascend C that Clang spells as attributes. Read by the runtime too, where they mean nothing.
// A kernel is `__global__ __aicore__`, a function of the core `__aicore__` alone; Clang allows only one of the two attributes on a
// function. So __global__ takes the next definition of __aicore__ from a stack, which is empty, and that one takes back the first.
#pragma once

#if defined(__CUDA__)
#include "starbridge/aicore_words.h"
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#undef SB_AICORE
#define SB_AICORE __attribute__((device))
#define __aicore__ SB_AICORE
#define __global__ __attribute__((global)) _Pragma("pop_macro(\"SB_AICORE\")")
#define SB_INLINE __attribute__((always_inline, nodebug))
#else
#define __aicore__
#define __global__
#define __device__
#define SB_INLINE
#endif

#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __sync_alias__
#define __sync_noalias__
#define __simd_callee__
#define __block_local__

// A small function of these headers: it disappears into its caller, and what it does carries the caller's line.
#define SB_DEVICE static __inline__ __device__ SB_INLINE
#define SB_METHOD __device__ SB_INLINE inline
