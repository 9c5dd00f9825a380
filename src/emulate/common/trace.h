// Trace: what a program copied from the card back to the host, in order, for comparing two runs of the same host code.
#pragma once

#include <cstddef>

namespace starbridge::emulate {

// Appends `bytes` bytes to the file named by SB_EMULATE_TRACE, after their count; nothing without it. Past 1 GiB only counts are
// written (with the top bit set), so that the comparison knows that it did not see everything.
void trace_result(const void* start, std::size_t bytes);

}  // namespace starbridge::emulate
