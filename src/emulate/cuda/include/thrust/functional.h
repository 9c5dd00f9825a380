// Part of thrust/starbridge/functional.h.
#pragma once

#include "thrust/starbridge/functional.h"
