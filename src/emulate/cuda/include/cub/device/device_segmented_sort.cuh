// Part of cub.cuh.
#pragma once

#include "cub/device_sorts.cuh"
