#include "emulate/bang/runtime/chip.h"

#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

Chip read_chip() {
  Chip result;
  read_card_row(result.name, {&result.arch, &result.nram_kib, &result.wram_kib, &result.sram_kib, &result.clusters, &result.cores,
                              &result.stack_kib, &result.clock_mhz, &result.memory_mib, &result.address_align, &result.size_align,
                              &result.wram_align});
  return result;
}

}  // namespace

const Chip& chip() {
  static const Chip result = read_chip();
  return result;
}

}  // namespace starbridge::emulate::bang
