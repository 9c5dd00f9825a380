// Checker: shadow of every word that threads share, and the rules on barriers, warps and pointers. Used only in a check.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/cuda/runtime/block.h"

namespace starbridge::emulate::cuda {

struct Launch;

// The threads of the block are past a barrier: what they did before is ordered before what follows.
void new_interval(Block& block);
void begin_checked_launch(Launch& launch);
void begin_checked_block(Block& block);
void end_checked_grid_interval();
void warp_synchronised(Block& block, Warp& warp, std::uint32_t lanes);

void check_barrier_place(Block& block, const void* place);
void check_barrier_with_exited(Block& block);
void check_warp_mask(Block& block, Warp& warp, std::uint32_t mask, const void* place);
void check_shuffle_source(Block& block, unsigned thread, int source);
void check_fence(Block& block);

// Global memory as the host changes it.
void shadow_allocate(void* start, std::size_t bytes);
void shadow_free(void* start, std::size_t bytes, const void* place);
void shadow_initialise(const void* start, std::size_t bytes);
// The bytes at `to` are as much initialised as those at `from`.
void shadow_copy(void* to, const void* from, std::size_t bytes);

// The host may touch memory of the card only inside the runtime's own calls.
void open_device_memory();
void close_device_memory();

}  // namespace starbridge::emulate::cuda
