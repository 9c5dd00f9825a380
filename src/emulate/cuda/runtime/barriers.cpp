// Barriers and warp operations, as device code calls them.
#include <bit>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/cuda/runtime/scheduler.h"
#include "emulate/common/settings.h"
#include "starbridge/device_api.h"

namespace starbridge::emulate::cuda {

namespace {

int barrier(int predicate, const void* place) {
  Block& block = *this_worker().block;
  const unsigned self = block.current;
  block.threads[self].answer = predicate;
  block.threads[self].wait_place = place;
  if (settings().is_check) check_barrier_place(block, place);
  block.at_barrier.push_back(static_cast<std::uint16_t>(self));
  if (block.at_barrier.size() + block.exited < block.thread_count) {
    wait_here(block, Wait::kBarrier, place);
  } else {
    if (settings().is_check && block.exited > 0) check_barrier_with_exited(block);
    block.at_barrier.pop_back();
    int count = predicate != 0 ? 1 : 0;  // the last to come goes on at once, and counts
    for (std::uint16_t thread : block.at_barrier) count += block.threads[thread].answer != 0 ? 1 : 0;
    complete_barrier(block, predicate != 0 ? 1 : 0);
    block.threads[self].answer = count;
    if (settings().is_adversarial) yield_thread(block);
  }
  return block.threads[self].answer;
}

// The lanes this operation is for; a lane that is not in its own mask acts alone, as nothing defines what would happen.
std::uint32_t effective_mask(Block& block, Warp& warp, std::uint32_t mask, const void* place) {
  const std::uint32_t own = 1U << (block.current % kWarpSize);
  if (settings().is_check) check_warp_mask(block, warp, mask, place);
  mask &= warp.lanes;
  return (mask & own) != 0 ? mask : own;
}

void collective(WarpKind kind, std::uint32_t raw_mask, std::uint64_t value, std::int32_t source, const void* place) {
  Block& block = *this_worker().block;
  Warp& warp = block.warp_of(block.current);
  const unsigned lane = block.current % kWarpSize;
  const std::uint32_t mask = kind == WarpKind::kActive ? warp.lanes : effective_mask(block, warp, raw_mask, place);
  warp.value[lane] = value;
  warp.source[lane] = source;
  std::size_t i = 0;
  for (; i < warp.groups.size(); ++i) {
    const WarpGroup& group = warp.groups[i];
    if (group.mask == mask && group.kind == kind && (kind != WarpKind::kActive || group.place == place)) break;
  }
  if (i == warp.groups.size()) warp.groups.push_back({mask, 0, kind, place});
  warp.groups[i].arrived |= 1U << lane;
  block.threads[block.current].warp_mask = mask;
  block.threads[block.current].wait_place = place;
  if (kind != WarpKind::kActive && (mask & ~warp.exited & ~warp.groups[i].arrived) == 0) {
    complete_warp_group(block, warp, i);
    if (settings().is_adversarial) yield_thread(block);
    return;
  }
  wait_here(block, kind == WarpKind::kActive ? Wait::kActive : Wait::kWarp, place);
}

}  // namespace

void complete_warp_group(Block& block, Warp& warp, std::size_t index) {
  const WarpGroup group = warp.groups[index];
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(index));
  block.idle_yields = 0;
  std::uint32_t yes = 0;
  if (group.kind == WarpKind::kBallot) {
    for (std::uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (warp.value[lane] != 0) yes |= 1U << lane;
    }
  }
  const unsigned first = static_cast<unsigned>(&warp - block.warps.data()) * kWarpSize;
  for (std::uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    switch (group.kind) {
      case WarpKind::kShuffle: {
        const std::int32_t source = warp.source[lane];
        const bool is_there = source >= 0 && (group.arrived >> source & 1U) != 0;
        warp.result[lane] = is_there ? warp.value[source] : warp.value[lane];
        if (!is_there && settings().is_check && source != lane)
          check_shuffle_source(block, first + static_cast<unsigned>(lane), source);
        break;
      }
      case WarpKind::kBallot:
        warp.result[lane] = yes;
        break;
      case WarpKind::kMatch: {
        std::uint32_t same = 0;
        for (std::uint32_t others = group.arrived; others != 0; others &= others - 1) {
          const int other = std::countr_zero(others);
          if (warp.value[other] == warp.value[lane]) same |= 1U << other;
        }
        warp.result[lane] = same;
        break;
      }
      case WarpKind::kActive:
        warp.result[lane] = group.arrived;
        break;
      case WarpKind::kSync:
      case WarpKind::kGather:
        break;
    }
    Thread& thread = block.threads[first + static_cast<unsigned>(lane)];
    if (thread.wait == Wait::kWarp || thread.wait == Wait::kActive) block.push_ready(first + static_cast<unsigned>(lane));
  }
  if (group.kind != WarpKind::kActive && settings().is_check) warp_synchronised(block, warp, group.arrived);
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

void __syncthreads() { barrier(0, __builtin_return_address(0)); }
int __sb_sync_count(int predicate) { return barrier(predicate, __builtin_return_address(0)); }

void __sb_sync_warp(unsigned int mask) { collective(WarpKind::kSync, mask, 0, 0, __builtin_return_address(0)); }

unsigned long long __sb_shuffle(unsigned int mask, unsigned long long value, int source) {
  collective(WarpKind::kShuffle, mask, value, source, __builtin_return_address(0));
  Block& block = *this_worker().block;
  return block.warp_of(block.current).result[block.current % kWarpSize];
}

unsigned int __sb_ballot(unsigned int mask, int predicate) {
  collective(WarpKind::kBallot, mask, predicate != 0, 0, __builtin_return_address(0));
  Block& block = *this_worker().block;
  return static_cast<unsigned>(block.warp_of(block.current).result[block.current % kWarpSize]);
}

unsigned int __sb_match(unsigned int mask, unsigned long long value) {
  collective(WarpKind::kMatch, mask, value, 0, __builtin_return_address(0));
  Block& block = *this_worker().block;
  return static_cast<unsigned>(block.warp_of(block.current).result[block.current % kWarpSize]);
}

void __sb_gather(unsigned int mask, unsigned long long value, unsigned long long* values) {
  // Each lane fetches from all: as many shuffles as lanes would do, in one meeting before and one after.
  Block& block = *this_worker().block;
  collective(WarpKind::kGather, mask, value, 0, __builtin_return_address(0));
  const Warp& warp = block.warp_of(block.current);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((mask & warp.lanes) >> lane & 1U) values[lane] = warp.value[lane];
  }
  collective(WarpKind::kSync, mask, value, 0, __builtin_return_address(0));
}

unsigned int __sb_active_mask() {
  collective(WarpKind::kActive, 0, 0, 0, __builtin_return_address(0));
  Block& block = *this_worker().block;
  return static_cast<unsigned>(block.warp_of(block.current).result[block.current % kWarpSize]);
}

void __sb_named_barrier(unsigned int id, unsigned int threads) {
  Block& block = *this_worker().block;
  for (NamedBarrier& named : block.named) {
    if (named.id != id) continue;
    if (named.waiting.size() + 1 < named.wanted) {
      named.waiting.push_back(static_cast<std::uint16_t>(block.current));
      wait_here(block, Wait::kNamedBarrier, __builtin_return_address(0));
      return;
    }
    std::vector<std::uint16_t> waiting = std::move(named.waiting);
    block.named.erase(block.named.begin() + (&named - block.named.data()));
    for (std::uint16_t thread : waiting) block.push_ready(thread);
    if (settings().is_check) new_interval(block);
    return;
  }
  if (threads <= 1) return;
  block.named.push_back({id, threads, {static_cast<std::uint16_t>(block.current)}});
  wait_here(block, Wait::kNamedBarrier, __builtin_return_address(0));
}

void __sb_grid_sync() {
  Block& block = *this_worker().block;
  if (!block.launch->is_cooperative) {
    report_here("grid-sync-without-cooperative-launch", __builtin_return_address(0),
                "a grid barrier needs cudaLaunchCooperativeKernel", "网格同步需要通过 cudaLaunchCooperativeKernel 启动");
    abort_launch(cudaErrorLaunchFailure);
    abandon_block();
  }
  block.at_grid.push_back(static_cast<std::uint16_t>(block.current));
  wait_here(block, Wait::kGrid, __builtin_return_address(0));
}

int __sb_is_cooperative() { return this_worker().block->launch->is_cooperative ? 1 : 0; }
void __sb_yield() { yield_thread(*this_worker().block); }

void __sb_poll(const volatile void* address) {
  Block& block = *this_worker().block;
  Thread& self = block.threads[block.current];
  if (self.polled == address) yield_thread(block);
  self.polled = address;
}

// Old code counts on the lanes of a warp running in step; after each volatile access the others come as far.
void __sb_warp_step() {
  Block& block = *this_worker().block;
  const Warp& warp = block.warp_of(block.current);
  const std::uint32_t live = ~warp.exited;
  if ((live & (live - 1)) != 0 || ++block.lone_steps % 256 == 0) yield_thread(block);
}

unsigned int __sb_lane() { return this_worker().block->current % kWarpSize; }
unsigned int __sb_warp() { return this_worker().block->current / kWarpSize; }
unsigned int __sb_thread_rank() { return this_worker().block->current; }
}
