// Part of thrust/starbridge/iterators.h.
#pragma once

#include "thrust/starbridge/iterators.h"
