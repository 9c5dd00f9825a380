// Part of thrust/starbridge/vectors.h.
#pragma once

#include "thrust/starbridge/algorithms.h"
