// The driver interface: the types that runtime programs name. Modules and contexts are not emulated.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION 12040
typedef int CUresult;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef unsigned long long CUdeviceptr;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
#define CUDA_SUCCESS 0
