// The chip the library stands for: one row of data/emulate/mlu_chips.tsv, given by the command. Constant after load.
#pragma once

#include <string>

namespace starbridge::emulate::bang {

struct Chip {
  std::string name = "MLU370-X8";
  int arch = 372;
  int nram_kib = 768, wram_kib = 1024, sram_kib = 4096;
  int clusters = 4, cores = 4;  // cores per cluster
  int stack_kib = 128;
  int clock_mhz = 1300;
  int memory_mib = 49152;
  int address_align = 1;  // of operands of vector built-ins, bytes
  int size_align = 1;     // of count * size of element of vector built-ins, bytes
  int wram_align = 8;     // of addresses in WRAM, bytes
};

const Chip& chip();

}  // namespace starbridge::emulate::bang
