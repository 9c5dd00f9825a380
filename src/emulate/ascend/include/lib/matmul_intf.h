// The Matmul object.
#pragma once

#include "kernel_operator.h"
#include "starbridge/asc_matmul.h"
