// The stack of definitions that attributes.h takes from: enough for 512 kernels and their declarations in one source.
#pragma once

#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
#include "starbridge/aicore_words64.inc"
