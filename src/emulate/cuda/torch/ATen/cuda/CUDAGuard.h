// One door for all of it.
#pragma once
#include <ATen/cuda/CUDAContext.h>
