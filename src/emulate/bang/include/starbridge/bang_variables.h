// taskId and its like. They are thread-local variables of the runtime; the pass makes them so.
#pragma once

extern const __device__ int taskId __asm__("__sb_taskId");
extern const __device__ int taskIdX __asm__("__sb_taskIdX");
extern const __device__ int taskIdY __asm__("__sb_taskIdY");
extern const __device__ int taskIdZ __asm__("__sb_taskIdZ");
extern const __device__ int taskDim __asm__("__sb_taskDim");
extern const __device__ int taskDimX __asm__("__sb_taskDimX");
extern const __device__ int taskDimY __asm__("__sb_taskDimY");
extern const __device__ int taskDimZ __asm__("__sb_taskDimZ");
extern const __device__ int coreId __asm__("__sb_coreId");
extern const __device__ int coreDim __asm__("__sb_coreDim");
extern const __device__ int clusterId __asm__("__sb_clusterId");
extern const __device__ int clusterDim __asm__("__sb_clusterDim");

SB_DEVICE bool __is_mpu() { return coreId == 0x80; }
SB_DEVICE bool __is_ipu() { return coreId != 0x80; }
