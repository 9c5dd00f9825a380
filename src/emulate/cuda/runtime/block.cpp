#include "emulate/cuda/runtime/block.h"

#include <bit>

#include "emulate/common/settings.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/cuda/runtime/scheduler.h"

namespace starbridge::emulate::cuda {

namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

void set_thread(Block& block, unsigned thread) {
  block.current = thread;
  block.has_current = true;
  __sb_threadIdx = block.threads[thread].index;
}

void fibre_main();

// Switches from the running fibre to `next`; `keep` says whether the running one will be resumed.
void switch_fibre(Worker& worker, Fibre* next, bool keep) {
  Fibre* self = worker.running;
  worker.running = next;
  void* dropped;
  sb_switch(keep ? &self->saved : &dropped, next->saved);
}

void switch_to_main(Worker& worker, bool keep) {
  Fibre* self = worker.running;
  worker.running = nullptr;
  void* dropped;
  sb_switch(keep && self != nullptr ? &self->saved : &dropped, worker.main_saved);
}

bool release_active_groups(Block& block) {
  bool any = false;
  for (Warp& warp : block.warps) {
    for (std::size_t i = 0; i < warp.groups.size();) {
      if (warp.groups[i].kind == WarpKind::kActive) {
        complete_warp_group(block, warp, i);
        any = true;
      } else {
        ++i;
      }
    }
  }
  return any;
}

// Finds what runs next after the current thread stopped (its state says why). `keep`: the running fibre belongs to that thread.
void schedule(bool keep, bool prefer_new) {
  Worker& worker = this_worker();
  Block& block = *worker.block;
  for (;;) {
    const bool can_start = block.started < block.thread_count;
    const bool start_first =
        settings().is_adversarial ? can_start && (block.ready_size == 0 || (draw(block, 2) == 0)) : prefer_new;
    if (block.ready_size > 0 && !(can_start && start_first)) {
      unsigned next = pop_ready(block);
      set_thread(block, next);
      Fibre* fibre = block.threads[next].fibre;
      if (fibre == worker.running) return;
      switch_fibre(worker, fibre, keep);
      return;
    }
    if (can_start) {
      block.has_current = false;
      switch_fibre(worker, worker.fibres.take(&fibre_main), keep);
      return;
    }
    if (release_active_groups(block)) continue;
    block.state = block.exited == block.thread_count                                                    ? BlockState::kDone
                  : !block.at_grid.empty() && block.at_grid.size() + block.exited == block.thread_count ? BlockState::kAtGrid
                                                                                                        : BlockState::kSpinning;
    if (block.state == BlockState::kSpinning) {
      report_stuck_block(block);
      abort_launch(cudaErrorLaunchTimeout);
      block.launch->is_aborted = true;
      block.state = BlockState::kDone;
    }
    switch_to_main(worker, keep);
    return;
  }
}

void fibre_main() {
  // A fibre that was given back may be taken again before its last switch: what take() writes must not meet living frames.
  volatile char distance[256];
  distance[0] = 0;
  (void)distance[0];
  Worker& worker = this_worker();
  Launch& launch = *worker.block->launch;
  launch.kernel->invoke(launch.kernel->code, launch.arguments);
  // Nothing is left to start; the fibre goes back while its last words still stand on it: nobody takes it before the switch.
  worker.fibres.give(worker.running);
  worker.block->has_current = false;
  schedule(false, false);
  __builtin_unreachable();
}

void finish_thread(Block& block) {
  const unsigned thread = block.current;
  Thread& self = block.threads[thread];
  self.wait = Wait::kExited;
  self.fibre = nullptr;
  ++block.exited;
  block.idle_yields = 0;
  Warp& warp = block.warp_of(thread);
  warp.exited |= 1U << (thread % kWarpSize);
  for (std::size_t i = 0; i < warp.groups.size();) {
    const WarpGroup& group = warp.groups[i];
    if (group.kind != WarpKind::kActive && (group.mask & ~warp.exited & ~group.arrived) == 0)
      complete_warp_group(block, warp, i);
    else
      ++i;
  }
  if (!block.at_barrier.empty() && block.at_barrier.size() + block.exited == block.thread_count) {
    if (settings().is_check) check_barrier_with_exited(block);
    complete_barrier(block, 0);
  }
}

}  // namespace

std::uint64_t draw(Block& block, std::uint64_t below) {
  block.random = mix(block.random);
  return (block.random >> 32) * below >> 32;
}

const std::vector<std::uint16_t>& drawn_order(Block& block) {
  std::vector<std::uint16_t>& order = block.order;
  if (!order.empty()) return order;
  order.resize(block.thread_count);
  for (unsigned i = 0; i < block.thread_count; ++i) order[i] = static_cast<std::uint16_t>(i);
  for (unsigned i = block.thread_count; i > 1; --i) std::swap(order[i - 1], order[draw(block, i)]);
  return order;
}

unsigned pop_ready(Block& block) {
  const unsigned mask = static_cast<unsigned>(block.ready.size()) - 1;
  if (settings().is_adversarial && block.ready_size > 1) {
    unsigned other = (block.ready_head + static_cast<unsigned>(draw(block, block.ready_size))) & mask;
    std::swap(block.ready[block.ready_head], block.ready[other]);
  }
  unsigned thread = block.ready[block.ready_head];
  block.ready_head = (block.ready_head + 1) & mask;
  --block.ready_size;
  return thread;
}

void Block::prepare(Launch& with, std::uint64_t linear_index) {
  launch = &with;
  linear = linear_index;
  index.x = static_cast<unsigned>(linear_index % with.grid.x);
  index.y = static_cast<unsigned>(linear_index / with.grid.x % with.grid.y);
  index.z = static_cast<unsigned>(linear_index / with.grid.x / with.grid.y);
  state = BlockState::kReady;
  const unsigned count = with.block.x * with.block.y * with.block.z;
  started = exited = current = 0;
  has_current = false;
  ready_head = ready_size = 0;
  idle_yields = 0;
  at_barrier.clear();
  at_grid.clear();
  named.clear();
  at_phase.clear();
  if (count != thread_count || threads.empty() || threads.back().index.x + 1 != with.block.x ||
      threads.back().index.y + 1 != with.block.y) {
    thread_count = count;
    threads.assign(count, Thread());
    unsigned rank = 0;
    for (unsigned z = 0; z < with.block.z; ++z)
      for (unsigned y = 0; y < with.block.y; ++y)
        for (unsigned x = 0; x < with.block.x; ++x) threads[rank++].index = {x, y, z};
    warps.resize((count + kWarpSize - 1) / kWarpSize);
    ready.resize(std::bit_ceil(count + 1));  // a power of two: its ring turns without a division
  }
  for (unsigned w = 0; w < warps.size(); ++w) {
    const unsigned lanes = std::min(kWarpSize, count - w * kWarpSize);
    warps[w].lanes = lanes == kWarpSize ? ~0U : (1U << lanes) - 1;
    warps[w].exited = ~warps[w].lanes;
    warps[w].epoch = 0;
    warps[w].groups.clear();
  }
  random = mix(settings().seed ^ mix(linear_index + 1));
  order.clear();
}

void Block::push_ready(unsigned thread) {
  threads[thread].wait = Wait::kNone;
  ready[(ready_head + ready_size) & (ready.size() - 1)] = static_cast<std::uint16_t>(thread);
  ++ready_size;
}

void run_block(Worker& worker, Block& block) {
  worker.block = &block;
  __sb_blockIdx = block.index;
  __sb_shared = block.shared;
  __sb_dynamic_shared = block.shared + block.launch->dynamic_offset;
  block.state = BlockState::kReady;
  block.idle_yields = 0;
  Fibre* fibre = nullptr;
  if (block.ready_size > 0) {
    unsigned next = pop_ready(block);
    set_thread(block, next);
    fibre = block.threads[next].fibre;
  } else {
    fibre = worker.fibres.take(&fibre_main);
  }
  worker.running = fibre;
  sb_switch(&worker.main_saved, fibre->saved);
  worker.block = nullptr;
}

void release_grid(Block& block) {
  for (std::uint16_t thread : block.at_grid) block.push_ready(thread);
  block.at_grid.clear();
}

void abandon_block() {
  Worker& worker = this_worker();
  worker.block->launch->is_aborted = true;
  worker.block->state = BlockState::kDone;
  switch_to_main(worker, false);
  __builtin_unreachable();
}

Block* current_block() { return this_worker().block; }

void wait_here(Block& block, Wait wait, const void* place) {
  Thread& self = block.threads[block.current];
  self.wait = wait;
  self.wait_place = place;
  self.fibre = this_worker().running;
  block.idle_yields = 0;
  schedule(true, false);
}

void yield_thread(Block& block) {
  if (block.launch->is_aborted) abandon_block();
  Thread& self = block.threads[block.current];
  if (++block.idle_yields > 4 * block.thread_count + 64) {
    block.idle_yields = 0;
    if (!release_active_groups(block)) {
      // Every thread of the block waits for something outside it: let other blocks come as far.
      self.fibre = this_worker().running;
      block.push_ready(block.current);
      block.state = BlockState::kSpinning;
      switch_to_main(this_worker(), true);
      return;
    }
  }
  if (block.ready_size == 0 && block.started == block.thread_count) return;
  self.fibre = this_worker().running;
  block.push_ready(block.current);
  schedule(true, true);
}

void complete_barrier(Block& block, int count) {
  for (std::uint16_t thread : block.at_barrier) count += block.threads[thread].answer != 0 ? 1 : 0;
  for (std::uint16_t thread : block.at_barrier) {
    block.threads[thread].answer = count;
    block.push_ready(thread);
  }
  block.at_barrier.clear();
  block.idle_yields = 0;
  for (Warp& warp : block.warps) ++warp.epoch;
  if (settings().is_check) new_interval(block);
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

// Ends the thread that ran (if any) and starts the next one on this fibre. False: no thread is left.
extern "C" bool __sb_next_thread() {
  Block& block = *this_worker().block;
  if (block.has_current) {
    finish_thread(block);
    block.has_current = false;
    if (block.launch->is_aborted) abandon_block();
    if (block.ready_size > 0 && block.started < block.thread_count) {
      // Threads that can go on come first: their stacks are still in the cache. This fibre is taken again for the next new
      // thread.
      this_worker().fibres.give(this_worker().running);
      schedule(false, false);
    }
  }
  if (block.started == block.thread_count) return false;
  unsigned thread = settings().is_adversarial ? drawn_order(block)[block.started] : block.started;
  ++block.started;
  block.threads[thread].wait = Wait::kNone;
  set_thread(block, thread);
  return true;
}
