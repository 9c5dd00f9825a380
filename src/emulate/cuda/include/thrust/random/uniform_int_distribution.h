// Part of thrust/starbridge/random.h.
#pragma once

#include "thrust/starbridge/random.h"
