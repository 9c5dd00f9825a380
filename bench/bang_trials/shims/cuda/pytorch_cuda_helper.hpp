// Stands in for mmcv's header of this name, which needs PyTorch: what its kernels take from there.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>

using std::max;
using std::min;
#include "common_cuda_helper.hpp"
#define DIVUP(m, n) ((m) / (n) + ((m) % (n) > 0))
#define __PHALF(x) (x)
