// Blocks whose kernel was cut into regions by the pass: all threads run up to where they wait, then what they wait for is carried
// out for all of them at once. When threads go different ways they are taken one by one, with the rules that fibres follow.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "emulate/common/settings.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/cuda/runtime/scheduler.h"

namespace starbridge::emulate::cuda {

namespace {

// In step with pass/regions.h and pass/regions.cpp.
enum class SuspendKind : std::uint32_t { kExit, kBarrier, kCount, kSyncWarp, kShuffle, kBallot, kMatch, kGather };

struct RegionFrame {
  std::uint8_t next[kThreadsMax];
  std::uint32_t mask[kThreadsMax];
  std::uint64_t value[kThreadsMax];
  std::int32_t source[kThreadsMax];
  std::uint64_t* pointer[kThreadsMax];
  std::uint64_t result[kThreadsMax];
  unsigned* current;  // where the checkers look for the rank of the thread that runs
};
static_assert(offsetof(RegionFrame, current) == 33792);

struct RegionRow {
  void (*run)(RegionFrame* frame, void* arguments, char* shared_in, char* shared_out, std::uint32_t x, std::uint32_t x_end,
              std::uint32_t y, std::uint32_t z, std::uint32_t first_rank);
  SuspendKind kind;  // of the wait before this region
  std::uint32_t is_whole_warp;
  std::int32_t single_next;  // where all threads go from here; -1: frame->next says
  std::uint32_t unused;
  void (*tell_place)();  // of the wait, in a check
};

class RegionRun {
 public:
  RegionRun(Worker& worker, Block& block, const RegionRow* rows, std::size_t frame_bytes, std::uint32_t shared_bytes,
            void* arguments)
      : block_(block),
        rows_(rows),
        arguments_(arguments),
        shared_bytes_((shared_bytes + 15) / 16 * 16),
        count_(block.thread_count) {
    const std::size_t bytes = frame_bytes + 2 * std::size_t{shared_bytes_} * (count_ + 1) + 128;
    if (worker.region_frame.size() < bytes) worker.region_frame.resize(bytes);
    const auto start = (reinterpret_cast<std::uintptr_t>(worker.region_frame.data()) + 63) / 64 * 64;
    frame_ = reinterpret_cast<RegionFrame*>(start);
    common_[0] = reinterpret_cast<char*>(start) + (frame_bytes + 15) / 16 * 16;
    common_[1] = common_[0] + shared_bytes_;
    own_ = common_[1] + shared_bytes_;
    frame_->current = &block_.current;
  }

  void run() {
    unsigned state = 0;
    for (;;) {
      run_all(state);
      if (block_.launch->is_aborted) abandon_block();
      const int next = common_next(rows_[state].single_next);
      if (next == 0) {
        block_.exited = count_;
        return;
      }
      if (next > 0 && meet(static_cast<unsigned>(next)))
        state = static_cast<unsigned>(next);
      else if (!run_apart(rows_[state].single_next, state))
        return;
    }
  }

 private:
  void run_all(unsigned state) {
    if (settings().is_adversarial) return run_all_in_drawn_order(state);
    const dim3& shape = block_.launch->block;
    std::uint32_t rank = 0;
    for (unsigned z = 0; z < shape.z; ++z) {
      for (unsigned y = 0; y < shape.y; ++y, rank += shape.x)
        rows_[state].run(frame_, arguments_, common_[0], common_[1], 0, shape.x, y, z, rank);
    }
    std::swap(common_[0], common_[1]);
  }

  // Pieces of rows, of up to a warp's threads, in an order drawn anew; each begins at a drawn thread. One time in eight threads come
  // one by one.
  void run_all_in_drawn_order(unsigned state) {
    if (draw(block_, 8) == 0) return run_all_one_by_one(state);
    const dim3& shape = block_.launch->block;
    const unsigned pieces = (shape.x + kWarpSize - 1) / kWarpSize, all = pieces * shape.y * shape.z;
    auto step = 1 + static_cast<unsigned>(draw(block_, all));
    while (std::gcd(step, all) != 1) ++step;
    unsigned at = static_cast<unsigned>(draw(block_, all));
    for (unsigned i = 0; i < all; ++i, at = (at + step) % all) {
      const unsigned row = at / pieces, first = at % pieces * kWarpSize, end = std::min(first + kWarpSize, shape.x);
      const unsigned y = row % shape.y, z = row / shape.y, rank = row * shape.x;
      const unsigned middle = first + static_cast<unsigned>(draw(block_, end - first));
      rows_[state].run(frame_, arguments_, common_[0], common_[1], middle, end, y, z, rank);
      if (middle > first) rows_[state].run(frame_, arguments_, common_[0], common_[1], first, middle, y, z, rank);
    }
    std::swap(common_[0], common_[1]);
  }

  // The block's own order, begun at a drawn place, forwards or backwards.
  void run_all_one_by_one(unsigned state) {
    const std::vector<std::uint16_t>& order = drawn_order(block_);
    const auto start = static_cast<unsigned>(draw(block_, count_));
    const bool is_backwards = draw(block_, 2) == 0;
    for (unsigned i = 0; i < count_; ++i) {
      unsigned at = is_backwards ? start + count_ - i : start + i;
      if (at >= count_) at -= count_;
      const unsigned thread = order[at];
      const uint3 index = block_.threads[thread].index;
      rows_[state].run(frame_, arguments_, common_[0], common_[1], index.x, index.x + 1, index.y, index.z, thread - index.x);
    }
    std::swap(common_[0], common_[1]);
  }

  // The state that all threads reached, or -1.
  int common_next(int single) const {
    if (single >= 0) return single;
    // All are equal when each equals the one after it.
    return std::memcmp(frame_->next, frame_->next + 1, count_ - 1) == 0 ? frame_->next[0] : -1;
  }

  std::uint32_t lanes_of(unsigned warp) const { return block_.warps[warp].lanes; }

  bool are_masks_whole() const {
    for (unsigned i = 0; i < count_; ++i) {
      const std::uint32_t lanes = lanes_of(i / kWarpSize);
      if ((frame_->mask[i] & lanes) != lanes) return false;
    }
    return true;
  }

  // Carries out what all threads wait for. False: they wait in parts.
  bool meet(unsigned state) {
    const RegionRow& row = rows_[state];
    if (row.kind == SuspendKind::kBarrier || row.kind == SuspendKind::kCount) pass_barrier();
    if (row.kind == SuspendKind::kBarrier) return true;
    if (row.kind == SuspendKind::kCount) {
      std::uint64_t yes = 0;
      for (unsigned i = 0; i < count_; ++i) yes += frame_->value[i] != 0 ? 1 : 0;
      for (unsigned i = 0; i < count_; ++i) frame_->result[i] = yes;
      return true;
    }
    if (row.is_whole_warp == 0 && !are_masks_whole()) return false;
    if (settings().is_check) {
      for (Warp& warp : block_.warps) warp_synchronised(block_, warp, warp.lanes);
    }
    if (row.kind == SuspendKind::kSyncWarp) return true;
    for (unsigned first = 0; first < count_; first += kWarpSize) meet_warp(state, first, std::min(kWarpSize, count_ - first));
    return true;
  }

  void pass_barrier() {
    if (!settings().is_check) return;
    for (Warp& warp : block_.warps) ++warp.epoch;
    new_interval(block_);
  }

  void meet_warp(unsigned state, unsigned first, unsigned lanes) {
    const SuspendKind kind = rows_[state].kind;
    const std::uint64_t* value = frame_->value + first;
    std::uint64_t* result = frame_->result + first;
    if (kind == SuspendKind::kShuffle) {
      const std::int32_t* source = frame_->source + first;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const auto from = static_cast<std::uint32_t>(source[lane]);
        result[lane] = value[from < lanes ? from : lane];
        if (!settings().is_check || from < lanes) continue;
        block_.threads[first + lane].wait_place = place_of(state);
        check_shuffle_source(block_, first + lane, source[lane]);
      }
    } else if (kind == SuspendKind::kBallot) {
      std::uint32_t yes = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) yes |= (value[lane] != 0 ? 1U : 0U) << lane;
      for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = yes;
    } else if (kind == SuspendKind::kMatch) {
      for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint32_t same = 0;
        for (unsigned other = 0; other < lanes; ++other) same |= (value[other] == value[lane] ? 1U : 0U) << other;
        result[lane] = same;
      }
    } else {
      for (unsigned lane = 0; lane < lanes; ++lane) std::memcpy(frame_->pointer[first + lane], value, lanes * sizeof *value);
    }
  }

  // Threads one by one until all have ended (false) or meet again at one place (true, and what they met for is done).
  bool run_apart(int single, unsigned& state) {
    if (single < 0)
      std::memcpy(state_, frame_->next, count_);
    else
      std::memset(state_, single, count_);
    for (unsigned i = 0; i < count_; ++i) {
      std::memcpy(own_ + std::size_t{2} * i * shared_bytes_, common_[0], shared_bytes_);
      block_.threads[i].wait = Wait::kNone;
      side_[i] = 0;
    }
    // Those that have ended come first: who waits for them must be told.
    for (unsigned i = 0; i < count_; ++i) {
      if (state_[i] == 0) arrive(i);
    }
    for (unsigned i = 0; i < count_; ++i) {
      if (state_[i] != 0) arrive(i);
    }
    while (block_.exited < count_) {
      if (block_.ready_size == 0) {
        report_stuck_block(block_);
        abort_launch(cudaErrorLaunchTimeout);
        abandon_block();
      }
      if (block_.ready_size == count_ && are_together()) {
        state = state_[0];
        std::memcpy(common_[0], own_ + side_[0] * std::size_t{shared_bytes_}, shared_bytes_);
        block_.ready_size = block_.ready_head = 0;
        return true;
      }
      step();
    }
    return false;
  }

  bool are_together() const {
    for (unsigned i = 1; i < count_; ++i) {
      if (state_[i] != state_[0]) return false;
    }
    return true;
  }

  void step() {
    const unsigned thread = pop_ready(block_);
    block_.current = thread;
    const RegionRow& row = rows_[state_[thread]];
    const uint3 index = block_.threads[thread].index;
    char* both = own_ + std::size_t{2} * thread * shared_bytes_;
    row.run(frame_, arguments_, both + side_[thread] * std::size_t{shared_bytes_},
            both + (side_[thread] ^ 1U) * std::size_t{shared_bytes_}, index.x, index.x + 1, index.y, index.z, thread - index.x);
    if (block_.launch->is_aborted) abandon_block();
    side_[thread] ^= 1U;
    state_[thread] = row.single_next >= 0 ? static_cast<std::uint8_t>(row.single_next) : frame_->next[thread];
    arrive(thread);
  }

  void arrive(unsigned thread) {
    Thread& self = block_.threads[thread];
    const RegionRow& row = rows_[state_[thread]];
    if (state_[thread] == 0) return end(thread);
    block_.current = thread;
    self.wait_place = place_of(state_[thread]);
    if (row.kind == SuspendKind::kBarrier || row.kind == SuspendKind::kCount) {
      if (settings().is_check && !block_.at_barrier.empty() && state_[block_.at_barrier.front()] != state_[thread])
        check_barrier_place(block_, self.wait_place);
      self.wait = Wait::kBarrier;
      self.answer = row.kind == SuspendKind::kCount && frame_->value[thread] != 0 ? 1 : 0;
      block_.at_barrier.push_back(static_cast<std::uint16_t>(thread));
      if (block_.at_barrier.size() + block_.exited == count_) finish_barrier();
      return;
    }
    static constexpr WarpKind kKinds[] = {WarpKind::kSync, WarpKind::kShuffle, WarpKind::kBallot, WarpKind::kMatch,
                                          WarpKind::kGather};
    const WarpKind kind = kKinds[static_cast<unsigned>(row.kind) - static_cast<unsigned>(SuspendKind::kSyncWarp)];
    Warp& warp = block_.warp_of(thread);
    const unsigned lane = thread % kWarpSize;
    const std::uint32_t raw_mask = row.is_whole_warp != 0 ? ~0U : frame_->mask[thread];
    if (settings().is_check) check_warp_mask(block_, warp, raw_mask, self.wait_place);
    std::uint32_t mask = raw_mask & warp.lanes;
    if ((mask >> lane & 1U) == 0) mask = 1U << lane;  // not in its own mask: alone, as on fibres
    warp.value[lane] = frame_->value[thread];
    warp.source[lane] = frame_->source[thread];
    self.wait = Wait::kWarp;
    self.warp_mask = mask;
    std::size_t i = 0;
    while (i < warp.groups.size() && !(warp.groups[i].mask == mask && warp.groups[i].kind == kind)) ++i;
    if (i == warp.groups.size()) warp.groups.push_back({mask, 0, kind, nullptr});
    warp.groups[i].arrived |= 1U << lane;
    if ((mask & ~warp.exited & ~warp.groups[i].arrived) == 0) finish_group(warp, i);
  }

  const void* place_of(unsigned state) const {
    if (rows_[state].tell_place == nullptr) return reinterpret_cast<const char*>(rows_[state].run) + 1;
    rows_[state].tell_place();
    return this_worker().told_place;
  }

  void end(unsigned thread) {
    block_.threads[thread].wait = Wait::kExited;
    ++block_.exited;
    Warp& warp = block_.warp_of(thread);
    warp.exited |= 1U << (thread % kWarpSize);
    for (std::size_t i = 0; i < warp.groups.size();) {
      if ((warp.groups[i].mask & ~warp.exited & ~warp.groups[i].arrived) == 0)
        finish_group(warp, i);
      else
        ++i;
    }
    if (!block_.at_barrier.empty() && block_.at_barrier.size() + block_.exited == count_) finish_barrier();
  }

  void finish_barrier() {
    waiting_ = block_.at_barrier;
    if (settings().is_check && block_.exited > 0) check_barrier_with_exited(block_);
    complete_barrier(block_, 0);
    for (std::uint16_t thread : waiting_) frame_->result[thread] = static_cast<std::uint64_t>(block_.threads[thread].answer);
  }

  void finish_group(Warp& warp, std::size_t index) {
    const WarpGroup group = warp.groups[index];
    const unsigned first = static_cast<unsigned>(&warp - block_.warps.data()) * kWarpSize;
    complete_warp_group(block_, warp, index);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((group.arrived >> lane & 1U) == 0) continue;
      frame_->result[first + lane] = warp.result[lane];
      if (group.kind != WarpKind::kGather) continue;
      for (unsigned other = 0; other < kWarpSize; ++other) {
        if ((group.mask >> other & 1U) != 0) frame_->pointer[first + lane][other] = warp.value[other];
      }
    }
  }

  Block& block_;
  const RegionRow* rows_;
  void* arguments_;
  std::uint32_t shared_bytes_;
  unsigned count_;
  RegionFrame* frame_ = nullptr;
  char* common_[2];  // what all threads share: as it was, as the region leaves it
  char* own_;        // the same for threads that go alone, two per thread
  std::uint8_t state_[kThreadsMax];
  std::uint8_t side_[kThreadsMax];
  std::vector<std::uint16_t> waiting_;
};

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate::cuda;

extern "C" {

void __sb_wait_place() { this_worker().told_place = __builtin_return_address(0); }

void __sb_set_thread(std::uint32_t rank, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Block& block = *this_worker().block;
  block.current = rank;
  block.has_current = true;
  __sb_threadIdx = {x, y, z};
}

void __sb_run_regions(const RegionRow* rows, std::uint32_t, std::uint64_t frame_bytes, std::uint32_t shared_bytes,
                      void* arguments) {
  Worker& worker = this_worker();
  Block& block = *worker.block;
  block.started = block.thread_count;
  block.has_current = false;
  RegionRun(worker, block, rows, frame_bytes, shared_bytes, arguments).run();
}
}
