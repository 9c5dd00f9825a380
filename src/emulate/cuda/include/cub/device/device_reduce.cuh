// Part of cub.cuh.
#pragma once

#include "cub/cub.cuh"
