#include "emulate/ascend/runtime/chip.h"

#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

Chip read_chip() {
  Chip result;
  read_card_row(result.name,
                {&result.npu_arch, &result.aicore, &result.cubes, &result.vectors, &result.ub_bytes, &result.ub_free_bytes,
                 &result.l1_bytes, &result.l0a_bytes, &result.l0b_bytes, &result.l0c_bytes, &result.bias_bytes,
                 &result.fixpipe_bytes, &result.has_pad_copy, &result.has_bf16, &result.queue_max, &result.memory_mib});
  return result;
}

}  // namespace

const Chip& chip() {
  static const Chip instance = read_chip();
  return instance;
}

}  // namespace starbridge::emulate::ascend
