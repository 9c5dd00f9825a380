#include "emulate/ascend/runtime/memory.h"

#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

const char* name_of(Memory memory) {
  static const char* const names[] = {"UB", "L1",         "L0A", "L0B", "L0C", "the bias table", "the fixpipe buffer",
                                      "GM", "host memory"};
  return names[static_cast<unsigned>(memory)];
}

std::size_t size_of(Memory memory) {
  const Chip& now = chip();
  const int sizes[] = {now.ub_bytes,  now.l1_bytes,   now.l0a_bytes,    now.l0b_bytes,
                       now.l0c_bytes, now.bias_bytes, now.fixpipe_bytes};
  return static_cast<std::size_t>(sizes[static_cast<unsigned>(memory)]);
}

Memory memory_of_position(int position) {
  // GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC SPM TSCM C2PIPE2GM C2PIPE2LOCAL
  static constexpr Memory table[] = {Memory::kUb,   Memory::kL1,  Memory::kL0a, Memory::kL1, Memory::kL0b, Memory::kL1,
                                     Memory::kBias, Memory::kL0c, Memory::kUb,  Memory::kUb, Memory::kUb,  Memory::kUb,
                                     Memory::kL1,   Memory::kL1,  Memory::kFix, Memory::kFix};
  return position >= 0 && position < 16 ? table[position] : Memory::kUb;
}

void reserve_memory() {
  reserve_heap({kWindow, kWindow + kGmBytes, kWindowEnd, static_cast<std::size_t>(chip().memory_mib) << 20});
}

void* allocate(std::size_t bytes, const void* place) {
  void* start = heap_allocate(bytes, place);
  if (start != nullptr && settings().is_check) set_poison(start, bytes, true);
  return start;
}

}  // namespace starbridge::emulate::ascend
