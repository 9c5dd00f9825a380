// The words of CUDA that Clang spells as attributes. Also read by the runtime, where they mean nothing.
#pragma once

#if defined(__CUDA__)
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant)) __attribute__((section("sb_constant")))
#define __managed__ __attribute__((device)) __attribute__((section("sb_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __nv_pure__ __attribute__((pure))
#define __thread__ __thread
#define __specialization_static
#define __cudart_builtin__
#define __device_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDA_CB
#define CUDAAPI
#define CUDARTAPI_CDECL
#define __dv(value) = value

// A small function of these headers: it disappears into its caller, and what it does carries the caller's line.
#if defined(__CUDA__)
#define SB_INLINE __attribute__((always_inline, nodebug))
#else
#define SB_INLINE
#endif
#define SB_DEVICE static __inline__ __device__ SB_INLINE
#define SB_HOST_DEVICE static __inline__ __host__ __device__ SB_INLINE
#define SB_MEMBER __device__ SB_INLINE
#define SB_HD_MEMBER __host__ __device__ SB_INLINE
