// Task: one run of a kernel on one core (a cube core, a vector core, or one with both units). Team: the tasks that the chip holds at
// once and that may wait for each other. Launch: all teams of one call. A task runs on a fibre and stays on its worker.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulate/ascend/runtime/buffers.h"
#include "emulate/ascend/runtime/pipes.h"
#include "emulate/common/fibre.h"
#include "emulate/common/kernel_table.h"

namespace starbridge::emulate::ascend {

constexpr int kIsCube = 1, kIsVector = 2;  // units of a core

// What the pass wrote down of each kernel: which units it uses, and the type it names, if it does.
struct KernelNote {
  std::uint32_t units;      // kIsCube, kIsVector, 4: a Matmul object
  std::uint32_t named;      // KernelMetaType; 0: none
};
struct Kernel : KernelEntry {
  const KernelNote* note = nullptr;
};

// One line of a core's data cache, in a check.
struct CacheLine {
  unsigned char data[64];
  std::uint64_t dirty = 0;  // bytes that the core wrote
  std::uint64_t moved = 0;  // bytes that its own copies wrote in GM since the line was fetched
  const void* place = nullptr;
};

struct Launch;
struct Team;

struct Task {
  Launch* launch = nullptr;
  Team* team = nullptr;
  int member = 0;  // in its team
  int core = 0;    // of the chip, for its memories
  int units = kIsVector;
  int block = 0, sub_block = 0;
  std::uint32_t strand = 0;
  Fibre* fibre = nullptr;
  bool has_started = false, has_ended = false;
  std::function<bool()> ready;  // empty: it can go on
  const void* wait_place = nullptr;
  std::string wait_words;
  Buffers buffers;
  Pipes pipes;
  // State that instructions read.
  std::uint64_t mask[2] = {~0ULL, ~0ULL};
  bool counts_mask = false;
  int atomic = 0, atomic_type = 0;
  std::uint64_t compare_mask[2] = {0, 0};
  std::int64_t accumulated = 0;
  char* system_workspace = nullptr;
  // Of a check.
  std::uint64_t yields = 0;
  std::vector<std::uint32_t> clock;  // per member of the team, how far what it did is known here
  std::unordered_map<std::uintptr_t, CacheLine> cache;
  bool is_foreign_vector() const { return (units & kIsVector) == 0; }
  bool is_foreign_cube() const { return (units & kIsCube) == 0; }
};

// A meeting of all tasks of a kind. Guarded by the team's mutex.
struct Meeting {
  int arrived = 0;
  std::uint64_t generation = 0;
  std::vector<std::uint32_t> clock, released_clock;
};
// A counter that other cores raise: CrossCoreSetFlag.
struct CrossFlag {
  int count = 0;
  std::vector<std::uint32_t> clock;
};

struct Team {
  std::vector<std::unique_ptr<Task>> tasks;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t change_count = 0;
  int workers = 1, waiting_workers = 0, unfinished_workers = 1;
  Meeting all[4];  // by units: cubes, vectors, both
  std::unordered_map<std::uint64_t, CrossFlag> flags;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> block_flags;  // IBSet: what the setter knew
};

struct Launch {
  Kernel* kernel = nullptr;
  void** arguments = nullptr;
  unsigned blocks = 1;
  unsigned tiling_key = 0;
  bool is_mixed = false;
  int vectors_per_cube = 0;
  std::uint32_t first_clock = 0;
  char* workspace = nullptr;  // the system's part
  int cross_modes[16] = {};   // how each flag between cores was raised
};

// What runs on the calling thread, or nullptr.
extern __thread Task* t_task __attribute__((visibility("hidden")));
inline Task* current_task() { return t_task; }
// The running task goes on when `ready` holds; it is asked under the team's mutex. `words` says what it waits for.
void wait_until(Task& task, std::function<bool()> ready, const void* place, std::string words);
// Something happened that tasks may wait for. The team's mutex is held.
void announce(Team& team);
// The running task has learnt what `clock` knows; later work of it is apart from earlier.
void learn(Task& task, const std::vector<std::uint32_t>& clock);
void start_stretch(Task& task);
// In a check, at places drawn from the seed: the other tasks of the team may come first. In a run only when asked for.
void let_others_run(Task& task, bool always = false);
// Carries out the launch.
void run_launch(Launch& launch);
Kernel* find_kernel(const void* host_function);
// By the name of an operator, whose kernel has the same letters: "AddCustom" is add_custom. nullptr: there is none.
std::string letters_of_name(const std::string& name);  // lower case, without "_"
Kernel* find_kernel_of_operator(const std::string& name);
std::string unit_of(const Task& task);

}  // namespace starbridge::emulate::ascend
