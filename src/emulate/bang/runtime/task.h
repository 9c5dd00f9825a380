// Task: one run of a kernel on one core. Team: the tasks of one Block or Union, which start together and may wait for each other.
// Launch: all teams of one call. A task runs on a fibre and stays on its worker.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cnrt.h"
#include "emulate/bang/runtime/pipes.h"
#include "emulate/bang/runtime/timing.h"
#include "emulate/common/fibre.h"
#include "emulate/common/kernel_table.h"

namespace starbridge::emulate::bang {

constexpr int kMemoryCoreId = 0x80;  // coreId of a cluster's memory core

// What the pass wrote down of each kernel.
struct SpaceVariable {
  std::uint32_t space, offset, bytes, line;
  const char* name;
  const char* file;
};
struct SpaceMap {
  std::uint32_t count, zero;
  SpaceVariable variables[1];
};

struct Kernel : KernelEntry {
  const SpaceMap* spaces = nullptr;
};

struct Launch;
struct Team;
struct Task;

// A meeting of tasks of one team. Guarded by the team's mutex.
struct Barrier {
  int expected = 0;
  int arrived = 0;
  int ended = 0;  // participants that will never come
  std::uint64_t generation = 0;
  const void* place = nullptr;  // where the first of those waiting waits
  Task* first = nullptr;
  std::vector<std::uint32_t> clock;           // of a check: what those who arrived know of each other
  std::vector<std::uint32_t> released_clock;  // the same when the last meeting ended
  double time = 0, released_time = 0;         // modelled: of the last who arrived
};

enum class Meeting { kCluster, kAll, kCores, kMemoryCores, kClusterCores };

struct Task {
  Launch* launch = nullptr;
  Team* team = nullptr;
  int member = 0;   // in its team
  int core = 0;     // of the chip, for its memories
  int cluster = 0;  // of the chip, for its SRAM
  bool is_memory_core = false;
  int id = 0, id_x = 0, id_y = 0, id_z = 0, core_id = 0, cluster_id = 0;
  std::uint32_t strand = 0;
  Fibre* fibre = nullptr;
  bool has_started = false, has_ended = false;
  Barrier* waits_for = nullptr;
  std::uint64_t waits_past = 0;  // goes on when the barrier's generation is above
  const void* wait_place = nullptr;
  Pipes pipes;
  CoreClock time;                    // modelled
  std::uint64_t yields = 0;          // of a check: state of the draws where others may come first
  std::vector<std::uint32_t> clock;  // of a check: per member of the team, how far what it did is known here
};

struct Team {
  std::vector<std::unique_ptr<Task>> tasks;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t change_count = 0;
  int workers = 1, waiting_workers = 0, unfinished_workers = 1;
  int clusters = 0;  // 0: Block
  Barrier all, cores, memory_cores;
  std::vector<Barrier> in_cluster, cores_in_cluster;
};

struct Launch {
  Kernel* kernel = nullptr;
  void** arguments = nullptr;
  cnrtDim3_t dim = {1, 1, 1};
  int union_clusters = 0;  // 0: Block
  std::uint64_t team_count = 1;
  std::atomic<std::uint64_t> next_team{0};
  std::uint32_t first_clock = 0;
  LaunchTiming* timing = nullptr;  // nullptr: nobody asked
};

// What runs on the calling thread, or nullptr.
extern __thread Task* t_task __attribute__((visibility("hidden")));
inline Task* current_task() { return t_task; }
inline bool is_on_memory_core() { return t_task != nullptr && t_task->is_memory_core; }
// The running task waits at one of its meetings; a plain sync of the core when the launch is of type Block.
void meet(Meeting meeting, const void* place);
// In a check, at places drawn from the seed: the other tasks of the team may come first.
void let_others_run(Task& task);
// Carries out the launch; returns cnrtSuccess or what was wrong with its shape.
cnrtRet_t run_launch(Launch& launch);
Kernel* find_kernel(const void* host_function);
std::string unit_of(const Task& task);

}  // namespace starbridge::emulate::bang
