#include "emulate/cuda/runtime/card_table.h"

#include <cstdio>
#include <cstdlib>

namespace starbridge::emulate::cuda {

const Card& chosen_card() {
  static const Card card = [] {
    Card result = {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410, 1593, 5120, 40960, 2048, 32, 164, 163, 2};
    const char* row = std::getenv("SB_EMULATE_CARD");
    Card read = {};
    if (row != nullptr && std::sscanf(row, "%63[^\t]\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d", read.name, &read.major,
                                      &read.minor, &read.multiprocessors, &read.clock_mhz, &read.memory_clock_mhz, &read.bus_bits,
                                      &read.l2_kib, &read.threads_per_multiprocessor, &read.blocks_per_multiprocessor,
                                      &read.shared_per_multiprocessor_kib, &read.shared_per_block_kib, &read.fp32_to_fp64) == 13)
      result = read;
    return result;
  }();
  return card;
}

}  // namespace starbridge::emulate::cuda
