// The driver interface of Cambricon's chips is not emulated; these are the types and constants that runtime code names.
#pragma once
#include "cnrt.h"

typedef int CNdev;
typedef void* CNcontext;
typedef cnrtQueue_t CNqueue;
typedef enum { CN_SUCCESS = 0, CN_ERROR_INVALID_VALUE = 1 } CNresult;
typedef enum {
  CN_KERNEL_CLASS_BLOCK = 1,
  CN_KERNEL_CLASS_UNION = 4,
  CN_KERNEL_CLASS_UNION2 = 8,
  CN_KERNEL_CLASS_UNION4 = 16,
  CN_KERNEL_CLASS_UNION8 = 32,
  CN_KERNEL_CLASS_UNION16 = 64,
  CN_KERNEL_CLASS_NONE = 0
} KernelClass;

#ifdef __cplusplus
extern "C" {
#endif
// How many teams of `type` run side by side.
CNresult cnGetCtxMaxParallelUnionTasks(CNcontext context, KernelClass type, int* count);
CNresult cnCtxGetCurrent(CNcontext* context);
#ifdef __cplusplus
}
#endif
