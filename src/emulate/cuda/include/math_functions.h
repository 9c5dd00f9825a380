// Part of the runtime's headers.
#pragma once

#include "cuda_runtime.h"
