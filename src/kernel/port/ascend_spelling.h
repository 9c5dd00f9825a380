// The lane program of the emitter in Ascend C: tiles in UB, accesses through data/kernels/ascend/starbridge_lanes.h, launches and
// pointers of ACL. Pure; any thread.
#pragma once

#include <string>

#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

struct AscendCore {
  long long ub_bytes = 0;  // what a kernel may use of UB
  int vector_cores = 0;
};

// Bytes of UB the support header keeps for itself, and one repeat that comparisons may read past the last tile.
constexpr long long kAscendOwnBytes = 12608 + 256;

// `emitted.text` becomes Ascend C, or `refusal` says which of its operations has no counterpart.
void spell_in_ascend_c(Emitted& emitted, const AscendCore& core);

}  // namespace starbridge::kernel::port
