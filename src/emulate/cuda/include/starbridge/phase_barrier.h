// Arrive-and-wait barriers: one word of eight bytes each, in shared memory (block scope) or in global memory. Kept by the runtime.
#pragma once

#include "starbridge/device_api.h"

extern "C" {
// `expected` arrivals complete a phase.
__device__ void __sb_phase_init(void* barrier, unsigned int expected);
// Counts `count` arrivals; with `drop` the next phases expect as many fewer. Gives the phase they count for.
__device__ unsigned long long __sb_phase_arrive(void* barrier, unsigned int count, int drop);
// Is that phase over?
__device__ int __sb_phase_is_over(const void* barrier, unsigned long long phase);
// Waits until it is.
__device__ void __sb_phase_wait(void* barrier, unsigned long long phase);
// Waits until the phase of that parity is over.
__device__ void __sb_phase_wait_parity(void* barrier, unsigned int parity);
}

namespace sb {
// The group's threads copy by turns, in the widest pieces that both addresses and the length allow.
template <class Piece> SB_DEVICE void copy_pieces(void* to, const void* from, size_t bytes, size_t rank, size_t size) {
  for (size_t i = rank; i < bytes / sizeof(Piece); i += size) ((Piece*)to)[i] = ((const Piece*)from)[i];
}
SB_DEVICE void copy_together(void* to, const void* from, size_t bytes, size_t rank, size_t size) {
  const size_t odd = (size_t)to | (size_t)from | bytes;
  if (odd % 8 == 0) copy_pieces<unsigned long long>(to, from, bytes, rank, size);
  else if (odd % 4 == 0) copy_pieces<unsigned int>(to, from, bytes, rank, size);
  else copy_pieces<unsigned char>(to, from, bytes, rank, size);
}
}  // namespace sb
