// What device code calls in the runtime. One list for both sides.
#pragma once

#include "vector_types.h"

extern "C" {
// Barriers of the block. The last three return what the barrier counted.
__device__ void __syncthreads();
__device__ int __sb_sync_count(int predicate);
// Barrier of a warp's named lanes.
__device__ void __sb_sync_warp(unsigned int mask);
// Bar with a number and a count of threads (PTX bar.sync, cooperative groups over parts of a block).
__device__ void __sb_named_barrier(unsigned int id, unsigned int threads);
// Every lane of `mask` gives `value` and gets the value of lane `source`; a source outside the mask gives the own value back.
__device__ unsigned long long __sb_shuffle(unsigned int mask, unsigned long long value, int source);
// Votes: which lanes of `mask` said yes.
__device__ unsigned int __sb_ballot(unsigned int mask, int predicate);
// Which lanes of `mask` gave the same value.
__device__ unsigned int __sb_match(unsigned int mask, unsigned long long value);
// The values of all lanes of `mask`, in `values[32]`; lanes outside keep what was there.
__device__ void __sb_gather(unsigned int mask, unsigned long long value, unsigned long long* values);
// The lanes that run together now.
__device__ unsigned int __sb_active_mask();
__device__ unsigned int __sb_lane();
__device__ unsigned int __sb_warp();
__device__ unsigned int __sb_thread_rank();
// Grid barrier of a cooperative launch.
__device__ void __sb_grid_sync();
__device__ int __sb_is_cooperative();
// The thread found a condition it waits for unmet, or made a step that others may wait for: let others run.
__device__ void __sb_yield();
// The same, when the thread looked at this very address the last time too: then it waits for another thread.
__device__ void __sb_poll(const volatile void* address);
__device__ void __sb_fence(int scope);
__device__ void __sb_trap();
// Memory space of an address: 1 global, 2 shared, 3 constant, 4 local, 0 else.
__device__ int __sb_space(const void* address);
__device__ void* __sb_dynamic_shared_start();
__device__ unsigned int __sb_dynamic_shared_bytes();
__device__ long long __sb_clock();
__device__ unsigned long long __sb_global_timer();
__device__ unsigned int __sb_multiprocessor();
// Textures and surfaces: `texel` gets four floats or four integers.
__device__ void __sb_texture(unsigned long long object, float x, float y, float z, int dimensions, int layer, void* texel);
__device__ void* __sb_surface(unsigned long long object, int x_bytes, int y, int z, int boundary, unsigned int bytes);
}
