// Advice: where a modelled kernel loses its time, and what would win it back. Pure; any thread.
#pragma once

#include <vector>

#include "base/text.h"
#include "kernel/port/modelled.h"

namespace starbridge::kernel::port {

// The pipe that holds the kernel up, in words.
base::Text bottleneck_text(const ModelledKernel& kernel);
// The largest losses first; empty when the kernel stands near its bound.
std::vector<base::Text> advice_for(const ModelledKernel& kernel, const cost::ChipCosts& costs);

}  // namespace starbridge::kernel::port
