// What barriers and warp operations need of a block. Called on a worker, inside a thread of the block.
#pragma once

#include "emulate/cuda/runtime/block.h"

namespace starbridge::emulate::cuda {

// The current thread waits until somebody makes it ready again.
void wait_here(Block& block, Wait wait, const void* place);
// The current thread lets the others go first.
void yield_thread(Block& block);
// All threads that wait at the block's barrier go on; `count` of those that are not among them said yes.
void complete_barrier(Block& block, int count);
// Gives every lane of warp.groups[group] its result, wakes those that wait, and removes the group.
void complete_warp_group(Block& block, Warp& warp, std::size_t group);

// A number below `below`, of the block's own sequence.
std::uint64_t draw(Block& block, std::uint64_t below);
// The order of the block's threads in an adversarial run.
const std::vector<std::uint16_t>& drawn_order(Block& block);
// The thread that goes on next, of those that can.
unsigned pop_ready(Block& block);

}  // namespace starbridge::emulate::cuda
