// Syncs: pipes of the core, cores of a cluster, cores of a team.
#pragma once

SB_DEVICE void __sync() { __sb_bang_sync(~0U); }
SB_DEVICE void __sync_compute() { __sb_bang_sync(1U << 1); }
SB_DEVICE void __sync_io() { __sb_bang_sync(1U << 2); }
SB_DEVICE void __sync_move() { __sb_bang_sync(1U << 3); }
// The first three say whose work is waited for, the last three who waits (io, move, compute). Waiting holds the whole core here.
SB_DEVICE void __sync_io_move_compute(bool io = true, bool move = true, bool compute = true, bool = true, bool = true, bool = true) {
  __sb_bang_sync((io ? 1U << 2 : 0U) | (move ? 1U << 3 : 0U) | (compute ? 1U << 1 : 0U));
}
// Copies within NRAM run on the compute pipe.
#define SB_SYNC_COPY(from, to, pipe) \
  SB_DEVICE void __sync_copy_##from##_to_##to() { __sb_bang_sync(1U << (pipe)); }
SB_SYNC_COPY(dram, nram, 2) SB_SYNC_COPY(dram, wram, 2) SB_SYNC_COPY(dram, sram, 2) SB_SYNC_COPY(dram, dram, 2)
SB_SYNC_COPY(nram, dram, 2) SB_SYNC_COPY(wram, dram, 2) SB_SYNC_COPY(sram, dram, 2)
SB_SYNC_COPY(nram, nram, 1) SB_SYNC_COPY(nram, wram, 3) SB_SYNC_COPY(nram, sram, 3) SB_SYNC_COPY(wram, nram, 3)
SB_SYNC_COPY(wram, sram, 3) SB_SYNC_COPY(sram, nram, 3) SB_SYNC_COPY(sram, wram, 3) SB_SYNC_COPY(sram, sram, 3)
#undef SB_SYNC_COPY
// Numbers of Meeting in the runtime.
SB_DEVICE void __sync_cluster() { __sb_bang_meet(0); }
SB_DEVICE void __sync_all() { __sb_bang_meet(1); }
SB_DEVICE void __sync_all_ipu() { __sb_bang_meet(2); }
SB_DEVICE void __sync_all_mpu() { __sb_bang_meet(3); }
SB_DEVICE void __sync_all_ipu_within_cluster() { __sb_bang_meet(4); }
SB_DEVICE void __abort() { __sb_bang_abort(); }
#define __bang_printf printf
