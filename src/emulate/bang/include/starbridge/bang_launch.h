// What kernel<<<dim, type, queue>>>(...) becomes. Clang looks these up by the names CUDA gave them; their parameters are ours.
#pragma once

#include "cnrt.h"

extern "C" unsigned __cudaPushCallConfiguration(cnrtDim3_t dim, cnrtFunctionType_t type, cnrtQueue_t queue);
extern "C" cnrtRet_t cudaLaunchKernel(const void* host_function, cnrtDim3_t dim, cnrtDim3_t type, void** arguments, size_t unused, cnrtQueue_t queue);
