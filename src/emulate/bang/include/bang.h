// BANG C for the emulated chip. Read before everything else in a program, as Cambricon's compiler does with its own.
#pragma once

#include "starbridge/attributes.h"
#include "starbridge/libc_device.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "cnrt.h"

#if defined(__CUDA__)
#include "starbridge/bang_launch.h"
#include "starbridge/bang_types.h"
#include "starbridge/bang_math.h"
#include "starbridge/bang_abi.h"
#include "starbridge/bang_variables.h"
#include "starbridge/bang_copies.h"
#include "starbridge/bang_vector.h"
#include "starbridge/bang_convert.h"
#include "starbridge/bang_reduce.h"
#include "starbridge/bang_layout.h"
#include "starbridge/bang_matrix.h"
#include "starbridge/bang_atomics.h"
#include "starbridge/bang_scalar.h"
#include "starbridge/bang_lanes.h"
#include "starbridge/bang_sync.h"
#include "starbridge/bang_refused.h"
#endif
