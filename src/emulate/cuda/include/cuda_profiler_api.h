// Profiler calls: accepted, without effect.
#pragma once

#include "cuda_runtime.h"
