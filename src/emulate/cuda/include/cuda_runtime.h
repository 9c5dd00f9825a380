// CUDA for the emulated card. Read before everything else in a program, as nvcc does with its own.
#pragma once

#include "starbridge/attributes.h"
#include "starbridge/libc_device.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"

#if defined(__CUDA__)
#include "starbridge/host_templates.h"
#include "starbridge/builtin_variables.h"
#include "starbridge/device_api.h"
#include "starbridge/device_math.h"
#include "starbridge/rounded_math.h"
#include "starbridge/integer_intrinsics.h"
#include "starbridge/memory_intrinsics.h"
#include "starbridge/atomics.h"
#include "starbridge/warp.h"
#include "starbridge/texture.h"
#include "starbridge/cuda_refused.h"
#endif
