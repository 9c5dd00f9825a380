// What the crash handlers, which all machines share, ask of this one.
#include "emulate/common/crash.h"
#include "emulate/common/settings.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate {

using namespace cuda;

MachineState machine_state() {
  const Worker& worker = this_worker();
  if (worker.block == nullptr) return {};
  MachineState state{true, worker.block->launch->kernel->code, nullptr, nullptr};
  if (worker.running != nullptr) {
    state.stack_low = worker.running->low;
    state.stack_high = worker.running->low + kStackBytes - kStackGuardBytes;
  }
  return state;
}

bool is_stack_guard(const void* address) { return this_worker().fibres.is_guard(address); }
bool is_chip_memory(const void* address) { return space_of(address) != Space::kHost; }

void check_at_end() {
  if (!settings().is_check) return;
  std::size_t bytes = 0;
  if (std::size_t count = count_leaks(bytes); count > 0)
    report_here("leak", nullptr,
                      std::to_string(count) + " allocations of the card, " + std::to_string(bytes) + " bytes in all, were never freed",
                      "有 " + std::to_string(count) + " 处显存分配（共 " + std::to_string(bytes) + " 字节）从未释放");
}

}  // namespace starbridge::emulate
