// Part of cub.cuh.
#pragma once

#include "cub/iterators.cuh"
