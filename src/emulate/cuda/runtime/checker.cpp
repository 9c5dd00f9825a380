#include "emulate/cuda/runtime/checker.h"
namespace starbridge::emulate::cuda {
void new_interval(Block&) {}
void begin_checked_launch(Launch&) {}
void begin_checked_block(Block&) {}
void end_checked_grid_interval() {}
void warp_synchronised(Block&, Warp&, std::uint32_t) {}
void check_barrier_place(Block&, const void*) {}
void check_barrier_with_exited(Block&) {}
void check_warp_mask(Block&, Warp&, std::uint32_t, const void*) {}
void check_shuffle_source(Block&, unsigned, int) {}
void check_fence(Block&) {}
void shadow_allocate(void*, std::size_t) {}
void shadow_free(void*, std::size_t, const void*) {}
void shadow_initialise(const void*, std::size_t) {}
void shadow_copy(void*, const void*, std::size_t) {}
void open_device_memory() {}
void close_device_memory() {}
}
