// threadIdx and its like. They are thread-local variables of the runtime; the pass makes them so.
#pragma once

#include "vector_types.h"

extern const __device__ uint3 threadIdx __asm__("__sb_threadIdx");
extern const __device__ uint3 blockIdx __asm__("__sb_blockIdx");
extern const __device__ dim3 blockDim __asm__("__sb_blockDim");
extern const __device__ dim3 gridDim __asm__("__sb_gridDim");
static constexpr int warpSize = 32;
