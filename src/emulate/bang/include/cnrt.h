// CNRT, the runtime interface of Cambricon's chips, for the emulated one: both generations of names that public code uses.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "starbridge/attributes.h"

#define CNRT_MAJOR_VERSION 6
#define CNRT_MINOR_VERSION 10
#define CNRT_PATCH_VERSION 0
#define CNRT_VERSION (CNRT_MAJOR_VERSION * 10000 + CNRT_MINOR_VERSION * 100 + CNRT_PATCH_VERSION)

#define SB_CNRT_ERROR(name, number, text) name = number,
typedef enum cnrtRet {
#include "starbridge/cnrt_errors.def"
} cnrtRet_t;
#undef SB_CNRT_ERROR
#define CNRT_RET_SUCCESS cnrtSuccess
#define CNRT_RET_ERR_INVALID cnrtErrorArgsInvalid
#define CNRT_RET_ERR_NOMEM cnrtErrorNoMem

typedef struct cnrtDim3 {
  unsigned int x, y, z;
} cnrtDim3_t;
typedef cnrtDim3_t cnrtDim3;

typedef enum cnrtFunctionType {
  cnrtFuncTypeBlock = 1,
  cnrtFuncTypeUnion1 = 4,
  cnrtFuncTypeUnion2 = 8,
  cnrtFuncTypeUnion4 = 16,
  cnrtFuncTypeUnion8 = 32,
  cnrtFuncTypeUnion16 = 64,
  cnrtFuncTypeMutable = 0x7fffffff,
  CNRT_FUNC_TYPE_BLOCK = 1,
  CNRT_FUNC_TYPE_BLOCK0 = 1,
  CNRT_FUNC_TYPE_BLOCK1 = 1,
  CNRT_FUNC_TYPE_UNION1 = 4,
  CNRT_FUNC_TYPE_UNION2 = 8,
  CNRT_FUNC_TYPE_UNION4 = 16,
  CNRT_FUNC_TYPE_UNION8 = 32,
  CNRT_FUNC_TYPE_UNION16 = 64
} cnrtFunctionType_t;

typedef enum cnrtMemcpyKind {
  cnrtMemcpyHostToDev = 0,
  cnrtMemcpyDevToDev,
  cnrtMemcpyDevToHost,
  cnrtMemcpyHostToHost,
  cnrtMemcpyPeerToPeer,
  cnrtMemcpyNoDirection,
  CNRT_MEM_TRANS_DIR_HOST2DEV = 0,
  CNRT_MEM_TRANS_DIR_DEV2DEV,
  CNRT_MEM_TRANS_DIR_DEV2HOST,
  CNRT_MEM_TRANS_DIR_HOST2HOST,
  CNRT_MEM_TRANS_DIR_PEER2PEER,
  CNRT_MEM_TRANS_DIR_NODIR
} cnrtMemTransDir_t;

typedef enum cnrtDataType { cnrtFloat, cnrtHalf, cnrtBfloat, cnrtInt, cnrtShort, cnrtChar, cnrtUint, cnrtUshort, cnrtUchar, cnrtLonglong, cnrtDouble, cnrtBoolean } cnrtDataType_t;
typedef cnrtDataType_t cnrtDataType_V2_t;
typedef enum { cnrtRounding_rm, cnrtRounding_rn, cnrtRounding_rz } cnrtRoundingMode_t;
typedef enum { cnrtMemTypeUnregistered, cnrtMemTypeHost, cnrtMemTypeDevice } cnrtMemType_t;
typedef struct {
  cnrtMemType_t type;
  int device;
  void* devicePointer;
  void* hostPointer;
} cnrtPointerAttributes_t;

typedef enum cnrtDeviceAttr {
  cnrtAttrComputeCapabilityMajor,
  cnrtAttrComputeCapabilityMinor,
  cnrtAttrSparseComputingSupported,
  cnrtAttrFP16ComputingSupported,
  cnrtAttrINT4ComputingSupported,
  cnrtAttrINT8ComputingSupported,
  cnrtAttrBF16ComputingSupported,
  cnrtAttrTF32ComputingSupported,
  cnrtAttrQueueCount,
  cnrtAttrClusterCount,
  cnrtAttrMcorePerCluster,
  cnrtAttrMaxDimX,
  cnrtAttrMaxDimY,
  cnrtAttrMaxDimZ,
  cnrtAttrMaxClusterPerUnionTask,
  cnrtAttrNramSizePerMcore,
  cnrtAttrWramSizePerMcore,
  cnrtAttrSramSizePerMcore,
  cnrtAttrClockRate,
  cnrtAttrTotalMemorySize
} cnrtDeviceAttr_t;

typedef struct {
  char name[64];
  int major, minor;
  size_t totalMem;
  size_t availableMem;
  int clusterCount;
  int McorePerCluster;
  int clusterClockRate;
  int maxDim[3];
  int maxClusterCountPerUnionTask;
  int NramSizePerMcore;
  int WramSizePerMcore;
  int maxSharedMemPerUnionTask;
} cnrtDeviceProp_t;

typedef struct cnrtQueueStruct* cnrtQueue_t;
typedef struct cnrtNotifierStruct* cnrtNotifier_t;
typedef int cnrtDev_t;

#ifdef __cplusplus
extern "C" {
#endif
cnrtRet_t cnrtInit(unsigned int flags);
void cnrtDestroy(void);
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);
cnrtRet_t cnrtGetDevice(int* ordinal);
cnrtRet_t cnrtGetDeviceHandle(cnrtDev_t* device, int ordinal);
cnrtRet_t cnrtSetDevice(int ordinal);
cnrtRet_t cnrtSetCurrentDevice(cnrtDev_t device);
cnrtRet_t cnrtDeviceReset(void);
cnrtRet_t cnrtDeviceSynchronize(void);
cnrtRet_t cnrtSyncDevice(void);
cnrtRet_t cnrtGetDeviceProperties(cnrtDeviceProp_t* properties, int ordinal);
cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t attribute, int ordinal);
cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch);
cnrtRet_t cnrtDriverGetVersion(int* major, int* minor, int* patch);
cnrtRet_t cnrtGetLastError(void);
cnrtRet_t cnrtPeekAtLastError(void);
const char* cnrtGetErrorStr(cnrtRet_t error);
const char* cnrtGetErrorName(cnrtRet_t error);

cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocConstant(void** pointer, size_t bytes);
cnrtRet_t cnrtFree(void* pointer);
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocHost(void** pointer, size_t bytes);
cnrtRet_t cnrtFreeHost(void* pointer);
cnrtRet_t cnrtMemGetInfo(size_t* free_bytes, size_t* total_bytes);
cnrtRet_t cnrtMemcpy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t kind);
cnrtRet_t cnrtMemcpyAsync(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t kind);
cnrtRet_t cnrtMemcpyAsync_V2(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t kind);
cnrtRet_t cnrtMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cnrtMemTransDir_t kind);
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes);
cnrtRet_t cnrtMemsetAsync(void* pointer, int value, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtMemsetD8(void* pointer, unsigned char value, size_t count);
cnrtRet_t cnrtMemsetD32(void* pointer, unsigned int value, size_t count);
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attributes, const void* pointer);

cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);
cnrtRet_t cnrtCreateQueue(cnrtQueue_t* queue);
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);
cnrtRet_t cnrtDestroyQueue(cnrtQueue_t queue);
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);
cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue);
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags);

cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);
cnrtRet_t cnrtCreateNotifier(cnrtNotifier_t* notifier);
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);
cnrtRet_t cnrtDestroyNotifier(cnrtNotifier_t* notifier);
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds);
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* milliseconds);
// Host memory converted between element types; `quantized` must be nullptr.
cnrtRet_t cnrtCastDataType_V2(const void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type, size_t count, void* quantized,
                              cnrtRoundingMode_t mode);
cnrtRet_t cnrtInvokeKernel(const void* kernel, cnrtDim3_t dim, cnrtFunctionType_t type, void** arguments, size_t reserved, cnrtQueue_t queue);
#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && !defined(SB_BANG_RUNTIME)
// The usual calls with a typed pointer.
template <class T>
inline cnrtRet_t cnrtMalloc(T** pointer, size_t bytes) {
  return cnrtMalloc(reinterpret_cast<void**>(pointer), bytes);
}
#endif

#ifndef CNRT_CHECK
#define CNRT_CHECK(...)                                                                                                   \
  do {                                                                                                                    \
    cnrtRet_t sb_ret_ = (__VA_ARGS__);                                                                                    \
    if (sb_ret_ != cnrtSuccess) {                                                                                         \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #__VA_ARGS__, cnrtGetErrorStr(sb_ret_));                              \
      exit(1);                                                                                                            \
    }                                                                                                                     \
  } while (0)
#include <stdio.h>
#include <stdlib.h>
#endif
