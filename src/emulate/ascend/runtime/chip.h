// The chip this program runs on: a row of data/emulate/ascend_chips.tsv, handed over by the command. Read once.
#pragma once

#include <string>

namespace starbridge::emulate::ascend {

struct Chip {
  std::string name = "Ascend910B3";
  int npu_arch = 2201, aicore = 220;
  int cubes = 20, vectors = 40;  // cores; 0 vectors: every core has both units
  int ub_bytes = 196608, ub_free_bytes = 188416, l1_bytes = 524288, l0a_bytes = 65536, l0b_bytes = 65536, l0c_bytes = 131072;
  int bias_bytes = 1024, fixpipe_bytes = 7168;
  int has_pad_copy = 1, has_bf16 = 1, queue_max = 8, memory_mib = 65536;
  bool is_split() const { return vectors > 0; }
};
const Chip& chip();

}  // namespace starbridge::emulate::ascend
