// The common forms of CUB: warp and block primitives, and device-wide ones that work in one pass on the host side.
#pragma once

#include "cub/block_primitives.cuh"
#include "cub/device_choices.cuh"
#include "cub/device_primitives.cuh"
#include "cub/device_sorts.cuh"
#include "cub/iterators.cuh"
#include "cub/warp_primitives.cuh"
