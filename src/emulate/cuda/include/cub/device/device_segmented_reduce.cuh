// Part of cub.cuh.
#pragma once

#include "cub/device_choices.cuh"
