// A part of kernel_operator.h under a name of its own.
#pragma once

#include "kernel_operator.h"
