// Part of cuda_awbarrier_primitives.h.
#pragma once

#include "cuda_awbarrier_primitives.h"
