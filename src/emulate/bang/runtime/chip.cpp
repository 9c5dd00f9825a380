#include "emulate/bang/runtime/chip.h"

#include <cstdlib>

#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

Chip read_chip() {
  Chip result;
  const std::string& row = settings().card;
  std::size_t tab = row.find('\t');
  if (tab == std::string::npos) return result;  // started without the command: the default
  result.name = row.substr(0, tab);
  for (int* field :
       {&result.arch, &result.nram_kib, &result.wram_kib, &result.sram_kib, &result.clusters, &result.cores, &result.stack_kib,
        &result.clock_mhz, &result.memory_mib, &result.address_align, &result.size_align, &result.wram_align}) {
    if (tab == std::string::npos) break;
    *field = std::atoi(row.c_str() + tab + 1);
    tab = row.find('\t', tab + 1);
  }
  return result;
}

}  // namespace

const Chip& chip() {
  static const Chip result = read_chip();
  return result;
}

}  // namespace starbridge::emulate::bang
