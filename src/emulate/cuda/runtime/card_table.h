// Cards that may be emulated. The figures come from data/emulate/cuda_cards.tsv by way of the command; without one, the A100's.
#pragma once

namespace starbridge::emulate::cuda {

struct Card {
  char name[64];
  int major, minor;
  int multiprocessors;
  int clock_mhz, memory_clock_mhz, bus_bits, l2_kib;
  int threads_per_multiprocessor, blocks_per_multiprocessor;
  int shared_per_multiprocessor_kib, shared_per_block_kib;
  int fp32_to_fp64;
};

// SB_EMULATE_CARD holds the row, its fields separated by tabs in the order above.
const Card& chosen_card();

}  // namespace starbridge::emulate::cuda
