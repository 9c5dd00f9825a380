// Part of thrust/starbridge/algorithms.h.
#pragma once

#include "thrust/starbridge/algorithms.h"
