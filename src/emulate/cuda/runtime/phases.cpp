// Arrive-and-wait barriers. A word holds how many arrivals complete a phase (bits 0-19), how many of them are still missing
// (20-39) and the number of the phase (40-63). Blocks on other workers may use the same word.
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "emulate/common/settings.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/cuda/runtime/scheduler.h"
#include "starbridge/phase_barrier.h"

namespace starbridge::emulate::cuda {

namespace {

constexpr std::uint64_t kCountMask = (1U << 20) - 1, kPhaseMask = (1U << 24) - 1;

std::atomic<std::uint64_t>& word_at(const void* barrier) {
  return *static_cast<std::atomic<std::uint64_t>*>(const_cast<void*>(barrier));
}
std::uint64_t phase_of(std::uint64_t word) { return word >> 40; }
std::uint64_t packed(std::uint64_t expected, std::uint64_t missing, std::uint64_t phase) {
  return (expected & kCountMask) | (missing & kCountMask) << 20 | (phase & kPhaseMask) << 40;
}

// The phase is over: whoever waits in this block goes on, and what its threads did before is ordered before what follows.
void complete_phase(Block& block, const void* barrier) {
  std::vector<PhaseWaiter> others;
  for (const PhaseWaiter& waiter : block.at_phase) {
    if (waiter.barrier == barrier)
      block.push_ready(waiter.thread);
    else
      others.push_back(waiter);
  }
  block.at_phase = std::move(others);
  block.idle_yields = 0;
  if (settings().is_check) new_interval(block);
}

void wait_for_phase(const void* barrier, std::uint64_t phase, const void* place) {
  Block& block = *this_worker().block;
  while (phase_of(word_at(barrier).load()) == (phase & kPhaseMask)) {
    if (space_of(barrier) == Space::kShared) {
      block.at_phase.push_back({barrier, static_cast<std::uint16_t>(block.current)});
      wait_here(block, Wait::kNamedBarrier, place);
    } else {
      yield_thread(block);  // another block's arrival may be the one that counts
    }
  }
  if (settings().is_check && space_of(barrier) != Space::kShared) check_fence(block);
}

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

void __sb_phase_init(void* barrier, unsigned int expected) { word_at(barrier).store(packed(expected, expected, 0)); }

unsigned long long __sb_phase_arrive(void* barrier, unsigned int count, int drop) {
  Block& block = *this_worker().block;
  if (settings().is_check && space_of(barrier) != Space::kShared) check_fence(block);
  std::uint64_t old = word_at(barrier).load(), next = 0;
  do {
    std::uint64_t expected = old & kCountMask;
    const std::uint64_t missing = old >> 20 & kCountMask;
    if (count > missing) {
      report_here("barrier-overflow", __builtin_return_address(0),
                  std::to_string(count) + " arrivals at a barrier that waits for " + std::to_string(missing) + " more of " +
                      std::to_string(expected),
                  "屏障还需 " + std::to_string(missing) + "（共 " + std::to_string(expected) + "）次到达，却到达了 " +
                      std::to_string(count) + " 次");
      abort_launch(cudaErrorIllegalInstruction);
      abandon_block();
    }
    if (drop != 0) expected -= count;
    next = missing == count ? packed(expected, expected, phase_of(old) + 1) : packed(expected, missing - count, phase_of(old));
  } while (!word_at(barrier).compare_exchange_weak(old, next));
  if (phase_of(next) != phase_of(old)) complete_phase(block, barrier);
  return phase_of(old);
}

int __sb_phase_is_over(const void* barrier, unsigned long long phase) {
  return phase_of(word_at(barrier).load()) != (phase & kPhaseMask) ? 1 : 0;
}

void __sb_phase_wait(void* barrier, unsigned long long phase) { wait_for_phase(barrier, phase, __builtin_return_address(0)); }

void __sb_phase_wait_parity(void* barrier, unsigned int parity) {
  const std::uint64_t phase = phase_of(word_at(barrier).load());
  if ((phase & 1) == (parity & 1)) wait_for_phase(barrier, phase, __builtin_return_address(0));
}
}
