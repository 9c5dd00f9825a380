#include "emulate/cuda/runtime/launch.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/common/crash.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/common/settings.h"

extern "C" {
__thread uint3 __sb_threadIdx;
__thread uint3 __sb_blockIdx;
__thread uint3 __sb_blockDim;
__thread uint3 __sb_gridDim;
__thread char* __sb_shared;
__thread char* __sb_dynamic_shared;
}

namespace starbridge::emulate::cuda {

namespace {

// Below this many threads the other cores are not woken: waking costs as much as the work.
constexpr std::uint64_t kThreadsWorthWaking = 2048;
constexpr std::size_t kSpinningThreadsMax = 16384;  // of one worker's blocks that wait for other blocks

int worker_limit() {
  if (settings().is_check) return 1;  // one order, replayable
  if (settings().workers > 0) return std::min(settings().workers, 64);
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::clamp(cores, 1, 64);
}

std::atomic<int> g_error{0};
std::atomic<int> g_workers{0};

std::unique_ptr<Block> take_block(Worker& worker) {
  if (!worker.spare.empty()) {
    std::unique_ptr<Block> block = std::move(worker.spare.back());
    worker.spare.pop_back();
    return block;
  }
  auto block = std::make_unique<Block>();
  const int number = static_cast<int>(worker.shared_slots.size());
  block->shared = shared_slot(worker.number, number);
  worker.shared_slots.push_back(block->shared);
  return block;
}

void set_dimensions(const Launch& launch) {
  __sb_blockDim = {launch.block.x, launch.block.y, launch.block.z};
  __sb_gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
}

// In an adversarial run blocks come in an order drawn from the seed: a walk over all of them with a step prime to their number.
std::uint64_t block_at(const Launch& launch, std::uint64_t position) {
  if (settings().is_adversarial && launch.block_count > 1 && launch.stride == 1) {
    std::uint64_t step = (settings().seed * 2654435761ULL + 1) % std::min<std::uint64_t>(launch.block_count, 1U << 15);
    while (std::gcd(step, launch.block_count) != 1) ++step;
    // Grids have fewer than 2^47 blocks and steps stay below 2^16, so that the product fits.
    return (position * step + settings().seed % launch.block_count) % launch.block_count;
  }
  return position * launch.stride;
}

// Blocks one after the other; a block that only waits for others stays, and takes turns with new ones.
void work(Worker& worker, Launch& launch) {
  set_dimensions(launch);
  std::vector<std::unique_ptr<Block>> spinning;
  std::size_t turn = 0;
  const std::size_t block_threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::size_t spinning_max = std::max<std::size_t>(kSpinningThreadsMax / block_threads, 16);
  const std::uint64_t count = (launch.block_count + launch.stride - 1) / launch.stride;
  while (!launch.is_aborted) {
    std::unique_ptr<Block> block;
    bool is_new = false;
    const std::uint64_t position =
        spinning.size() < spinning_max ? launch.next_block.fetch_add(1, std::memory_order_relaxed) : count;
    if (position < count) {
      block = take_block(worker);
      block->prepare(launch, block_at(launch, position));
      is_new = true;
    } else if (!spinning.empty()) {
      turn = (turn + 1) % spinning.size();
      block = std::move(spinning[turn]);
      spinning.erase(spinning.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      break;
    }
    if (settings().is_check && is_new) begin_checked_block(*block);
    run_block(worker, *block);
    if (block->state == BlockState::kDone)
      worker.spare.push_back(std::move(block));
    else
      spinning.push_back(std::move(block));
  }
  if (launch.is_aborted) worker.shared_slots.clear(), worker.spare.clear();
}

// A cooperative grid lives as a whole on one worker.
void work_cooperatively(Worker& worker, Launch& launch) {
  set_dimensions(launch);
  std::vector<std::unique_ptr<Block>> blocks;
  for (std::uint64_t i = 0; i < launch.block_count; ++i) {
    blocks.push_back(take_block(worker));
    blocks.back()->prepare(launch, block_at(launch, i));
    if (settings().is_check) begin_checked_block(*blocks.back());
  }
  std::size_t live = blocks.size();
  while (live > 0 && !launch.is_aborted) {
    live = 0;
    bool any_moves = false;
    for (auto& block : blocks) {
      if (block->state == BlockState::kDone) continue;
      if (block->state != BlockState::kAtGrid) {
        run_block(worker, *block);
        if (launch.is_aborted) break;
      }
      if (block->state == BlockState::kDone) continue;
      ++live;
      any_moves |= block->state != BlockState::kAtGrid;
    }
    if (live == 0 || any_moves) continue;
    if (settings().is_check) end_checked_grid_interval();
    for (auto& block : blocks) {
      if (block->state != BlockState::kAtGrid) continue;
      release_grid(*block);
      block->state = BlockState::kReady;
      if (settings().is_check) new_interval(*block);
    }
  }
  if (launch.is_aborted)
    worker.shared_slots.clear(), worker.spare.clear();
  else
    for (auto& block : blocks) worker.spare.push_back(std::move(block));
}

// The helpers of the thread that launches; they sleep between grids.
class Helpers {
 public:
  explicit Helpers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { live(); });
    for (std::thread& thread : threads_) thread.detach();
  }

  void start(Launch& launch) {
    std::lock_guard lock(mutex_);
    launch_ = &launch;
    ++generation_;
    busy_ = static_cast<int>(threads_.size());
    wake_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void live() {
    guard_against_crashes_on_this_thread();
    std::uint64_t seen = 0;
    for (;;) {
      Launch* launch;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return generation_ != seen; });
        seen = generation_;
        launch = launch_;
      }
      work(this_worker(), *launch);
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Launch* launch_ = nullptr;
  std::uint64_t generation_ = 0;
  int busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

__thread Worker* t_worker = nullptr;

Worker& make_worker() {
  t_worker = new Worker;
  t_worker->number = g_workers++;
  return *t_worker;
}

void abort_launch(cudaError_t error) {
  int expected = 0;
  g_error.compare_exchange_strong(expected, error);
  if (Worker& worker = this_worker(); worker.block != nullptr) worker.block->launch->is_aborted = true;
}

cudaError_t run_grid(Launch& launch) {
  static std::mutex one_grid;  // host threads take turns on the card
  std::lock_guard lock(one_grid);
  guard_against_crashes_on_this_thread();
  g_error = 0;
  if (settings().is_check) begin_checked_launch(launch);
  const std::uint64_t threads = launch.block_count / launch.stride * launch.block.x * launch.block.y * launch.block.z;
  if (launch.is_cooperative) {
    work_cooperatively(this_worker(), launch);
  } else {
    static Helpers* helpers = worker_limit() > 1 ? new Helpers(worker_limit() - 1) : nullptr;
    const bool together = helpers != nullptr && launch.block_count > 1 && threads >= kThreadsWorthWaking;
    if (together) helpers->start(launch);
    work(this_worker(), launch);
    if (together) helpers->wait();
  }
  return static_cast<cudaError_t>(g_error.load());
}

const Kernel* current_kernel() {
  const Block* block = t_worker == nullptr ? nullptr : t_worker->block;
  return block == nullptr ? nullptr : block->launch->kernel;
}

}  // namespace starbridge::emulate::cuda
