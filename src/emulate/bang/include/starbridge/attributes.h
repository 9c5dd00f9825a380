// The words of BANG C that Clang spells as attributes. Read by the runtime too, where they mean nothing.
#pragma once

#if defined(__CUDA__)
#define __BANG__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __mlu_host__ __attribute__((host))
#define __mlu_global__ __attribute__((global))
#define __mlu_entry__ __attribute__((global))
#define __mlu_device__ __attribute__((device))
#define __mlu_func__ __inline__ __attribute__((device))
#define __mlu_vector__ __inline__ __attribute__((device))
#define __mlu_builtin__ __inline__ __attribute__((device))
#define __mlu_const__ __attribute__((constant))
// Variables of a core are static wherever they stand. One with initial values gets them at the entry of each function that uses it.
#define __nram__ static __attribute__((device, annotate("sb_nram")))
#define __wram__ static __attribute__((device, annotate("sb_wram")))
#define __mlu_shared__ static __attribute__((device, annotate("sb_sram")))
#define __ldram__ static __attribute__((device, annotate("sb_ldram")))
#else
#define __mlu_host__
#define __mlu_global__
#define __mlu_entry__
#define __mlu_device__
#define __mlu_func__
#define __device__
#endif

// A small function of these headers: it disappears into its caller, and what it does carries the caller's line.
#if defined(__CUDA__)
#define SB_INLINE __attribute__((always_inline, nodebug))
#else
#define SB_INLINE
#endif
#define SB_DEVICE static __inline__ __device__ SB_INLINE
#define SB_DEVICE_MEMBER __inline__ __device__ SB_INLINE
