// The functions the table of a level points to.
#pragma once

#include "emulate/ascend/loops/loops.h"

namespace starbridge::emulate::ascend::SB_LOOPS {
bool apply_float(const LoopCall& call);    // float, half, bfloat16
bool apply_integer(const LoopCall& call);
bool apply_cast(const LoopCall& call);
bool apply_compare(const LoopCall& call);
void to_float(int type, float* to, const void* from, std::int64_t n);
void from_float(int type, void* to, const float* from, std::int64_t n);
}  // namespace starbridge::emulate::ascend::SB_LOOPS
