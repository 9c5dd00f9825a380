// Block: the threads of one block on one worker, each on a fibre of its own once it has to wait; barriers, warp operations,
// order. Threads that never wait share a fibre one after the other, so that a kernel without barriers costs one call per thread.
// One worker at a time; nothing here is locked.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/common/fibre.h"
#include "vector_types.h"

namespace starbridge::emulate::cuda {

struct Launch;
struct Worker;

constexpr unsigned kWarpSize = 32;
constexpr unsigned kThreadsMax = 1024;

enum class Wait : std::uint8_t { kNone, kBarrier, kNamedBarrier, kWarp, kActive, kGrid, kExited };

struct Thread {
  uint3 index = {0, 0, 0};
  Fibre* fibre = nullptr;
  Wait wait = Wait::kNone;
  bool is_started = false;
  std::uint8_t barrier_kind = 0;          // what the barrier gives back: nothing, count, and, or
  int answer = 0;                         // of a barrier that counts
  const void* wait_place = nullptr;       // return address of the call it waits in
  const volatile void* polled = nullptr;  // the flag it looked at last
  std::uint32_t warp_mask = 0;            // lanes it waits for
};

enum class WarpKind : std::uint8_t { kSync, kShuffle, kBallot, kMatch, kGather, kActive };

struct WarpGroup {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
  WarpKind kind = WarpKind::kSync;
  const void* place = nullptr;  // only for kActive
};

struct Warp {
  std::uint32_t lanes = 0;  // that exist
  std::uint32_t exited = 0;
  std::uint32_t epoch = 0;  // counts the warp's synchronisations, for the checkers
  std::vector<WarpGroup> groups;
  std::uint64_t value[kWarpSize];
  std::uint64_t result[kWarpSize];
  std::int32_t source[kWarpSize];
};

struct NamedBarrier {
  unsigned id = 0;
  unsigned wanted = 0;
  std::vector<std::uint16_t> waiting;
};

// A thread that waits for the phase of an arrive-and-wait barrier in shared memory.
struct PhaseWaiter {
  const void* barrier = nullptr;
  std::uint16_t thread = 0;
};

enum class BlockState { kReady, kSpinning, kAtGrid, kDone };

struct Block {
  Launch* launch = nullptr;
  uint3 index = {0, 0, 0};
  std::uint64_t linear = 0;
  char* shared = nullptr;
  BlockState state = BlockState::kReady;
  unsigned thread_count = 0;
  unsigned started = 0;  // position in `order` of the next thread to start
  unsigned exited = 0;
  unsigned current = 0;
  bool has_current = false;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<std::uint16_t> order;  // only when adversarial, once asked for
  std::vector<std::uint16_t> ready;  // ring
  unsigned ready_head = 0;
  unsigned ready_size = 0;
  std::vector<std::uint16_t> at_barrier;
  std::vector<std::uint16_t> at_grid;
  std::vector<NamedBarrier> named;
  std::vector<PhaseWaiter> at_phase;
  unsigned idle_yields = 0;          // yields since anything else happened
  unsigned lone_steps = 0;           // volatile accesses of warps with one lane left
  std::uint32_t interval = 0;        // of the checkers: changes at each barrier
  std::uint32_t first_interval = 0;  // when the block began
  std::uint64_t random = 0;

  void prepare(Launch& with, std::uint64_t linear_index);
  void push_ready(unsigned thread);
  Warp& warp_of(unsigned thread) { return warps[thread / kWarpSize]; }
};

// Runs `block` on the calling worker until it is done, waits for the grid, or only spins.
void run_block(Worker& worker, Block& block);
// Wakes the threads that wait for the grid.
void release_grid(Block& block);
// Ends the launch from inside a thread: the block is left as it is. Does not return.
[[noreturn]] void abandon_block();
// The block the calling worker runs, or nullptr when it runs none.
Block* current_block();

}  // namespace starbridge::emulate::cuda
