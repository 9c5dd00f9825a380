// Ascend C for the emulated core. Read before everything else in a program with kernels, as the real compiler's own words are.
#pragma once

#include "starbridge/attributes.h"

#include "starbridge/libc_device.h"

#include <stddef.h>
#include <stdint.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__CUDA__)
#include "acl/acl_base.h"
#include "starbridge/asc_launch.h"
#include "starbridge/asc_abi.h"
#include "starbridge/asc_types.h"
#include "starbridge/asc_tensor.h"
#include "starbridge/asc_pipe.h"
#include "starbridge/asc_vector.h"
#include "starbridge/asc_select.h"
#include "starbridge/asc_reduce.h"
#include "starbridge/asc_copy.h"
#include "starbridge/asc_sync.h"
#include "starbridge/asc_math.h"
#include "starbridge/asc_cube.h"
#include "starbridge/asc_tiling.h"
#endif
