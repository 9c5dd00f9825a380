// Launches: teams of tasks on the workers of this machine.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulate/ascend/runtime/cache.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/ascend/runtime/task.h"
#include "emulate/common/crash.h"
#include "emulate/common/crew.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

extern "C" {
__thread void* __sb_asc_pipe;  // the TPipe of the running task
}

namespace starbridge::emulate::ascend {

__thread Task* t_task = nullptr;

namespace {

struct Worker {
  FibrePool fibres;
  void* main_saved = nullptr;
};

Worker& worker() {
  thread_local Worker instance;
  return instance;
}

std::uint32_t g_next_clock = 1;  // of a check, which has one worker

void end_task(Task& task) {
  if (settings().is_check) {
    finish_pipes(task);
    finish_buffers(task);
    write_back_all(task);
  }
  std::lock_guard lock(task.team->mutex);
  task.has_ended = true;
  announce(*task.team);
}

void fibre_main() {
  Task& task = *t_task;
  task.launch->kernel->invoke(task.launch->kernel->code, task.launch->arguments);
  end_task(task);
  Worker& own = worker();
  void* dead = nullptr;
  sb_switch(&dead, own.main_saved);
}

void switch_to(Task& task) {
  Worker& own = worker();
  t_task = &task;
  sb_switch(&own.main_saved, task.fibre->saved);
  t_task = nullptr;
}

void leave(Task& task) {
  Worker& own = worker();
  void* pipe = __sb_asc_pipe;
  sb_switch(&task.fibre->saved, own.main_saved);
  __sb_asc_pipe = pipe;
}

void start_task(Task& task) {
  task.has_started = true;
  task.fibre = worker().fibres.take(&fibre_main);
  task.system_workspace = task.launch->workspace;
  if (!settings().is_check) return;
  task.clock.assign(task.team->tasks.size(), task.launch->first_clock);
  task.clock[static_cast<std::size_t>(task.member)] = ++g_next_clock;
  task.yields = settings().seed + task.strand * 0x9e3779b97f4a7c15ULL;
  start_pipes(task);
  // What nobody wrote holds whatever it held: numbers nobody would take for results.
  for (unsigned i = 0; i < kOwnMemories; ++i) {
    const auto memory = static_cast<Memory>(i);
    std::memset(start_of(memory, task.core), static_cast<int>(0xa0 + settings().seed % 64), size_of(memory));
    set_poison(start_of(memory, task.core), size_of(memory), true);
  }
}

[[noreturn]] void report_deadlock(Team& team) {
  int count = 0;
  std::string last;
  for (const auto& task : team.tasks) count += task->has_ended ? 0 : 1;
  int told = 0;
  for (const auto& task : team.tasks) {
    if (task->has_ended || task->wait_words == last || ++told > 3) continue;
    last = task->wait_words;
    t_task = task.get();
    report_at("deadlock", task->wait_place, "no core can go on: " + std::to_string(count) + " wait; this one for " + task->wait_words,
              "所有核都无法继续：共 " + std::to_string(count) + " 个核在等待；此核等待 " + task->wait_words);
  }
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitStuck);
}

// Runs the tasks of `team` that are this worker's, until all of them ended.
void run_tasks(Team& team, const std::vector<Task*>& tasks) {
  std::uint64_t random = settings().seed ^ 0x5851f42d4c957f2dULL;
  std::size_t unfinished = tasks.size();
  std::size_t turn = 0;
  while (unfinished > 0) {
    Task* chosen = nullptr;
    {
      std::unique_lock lock(team.mutex);
      const std::uint64_t seen = team.change_count;
      std::size_t start = turn;
      if (settings().is_adversarial) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        start = static_cast<std::size_t>(random >> 33) % tasks.size();
      }
      for (std::size_t i = 0; i < tasks.size() && chosen == nullptr; ++i) {
        Task* task = tasks[(start + i) % tasks.size()];
        if (!task->has_ended && (!task->ready || task->ready())) chosen = task;
        if (chosen != nullptr) turn = (start + i + 1) % tasks.size();
      }
      if (chosen == nullptr) {
        if (++team.waiting_workers == team.unfinished_workers) report_deadlock(team);
        team.changed.wait(lock, [&] { return team.change_count != seen; });
        continue;
      }
      chosen->ready = nullptr;
    }
    if (!chosen->has_started) start_task(*chosen);
    switch_to(*chosen);
    if (chosen->has_ended) {
      worker().fibres.give(chosen->fibre);
      --unfinished;
    }
  }
  std::lock_guard lock(team.mutex);
  --team.unfinished_workers;
  announce(team);
}

void add_task(Launch& launch, Team& team, unsigned block, int sub_block, int units, int core) {
  auto task = std::make_unique<Task>();
  task->launch = &launch;
  task->team = &team;
  task->member = static_cast<int>(team.tasks.size());
  task->block = static_cast<int>(block);
  task->sub_block = sub_block;
  task->units = units;
  task->core = core;
  task->strand = block * 3 + static_cast<unsigned>(units == kIsCube ? 2 : sub_block);
  team.tasks.push_back(std::move(task));
}

std::unique_ptr<Team> make_team(Launch& launch, const std::vector<unsigned>& blocks, int units) {
  auto team = std::make_unique<Team>();
  int slot = 0;
  for (unsigned block : blocks) {
    if (!launch.is_mixed) {
      add_task(launch, *team, block, 0, units, slot++);
      continue;
    }
    add_task(launch, *team, block, 0, kIsCube, slot++);
    for (int i = 0; i < launch.vectors_per_cube; ++i) add_task(launch, *team, block, i, kIsVector, slot++);
  }
  return team;
}

// Which cores a launch runs on. Returns how many blocks they can hold at once.
int plan(Launch& launch, int& units) {
  const KernelNote* note = launch.kernel->note;
  const std::uint32_t named = note == nullptr ? 0 : note->named;
  std::uint32_t used = note == nullptr ? std::uint32_t{kIsVector} : note->units;
  if (!chip().is_split()) {
    units = kIsCube | kIsVector;
    return chip().cubes;
  }
  enum { kAivOnly = 1, kAicOnly, kMixAiv10, kMixAic10, kMixAic11, kMixAic12 };
  if (named == kMixAic11 || named == kMixAic12 || (named == 0 && ((used & 4) != 0 || (used & 3) == 3))) {
    launch.is_mixed = true;
    launch.vectors_per_cube = named == kMixAic11 ? 1 : 2;
    return chip().cubes;
  }
  const bool is_cube = named == kAicOnly || named == kMixAic10 || (named == 0 && (used & 3) == kIsCube);
  units = is_cube ? kIsCube : kIsVector;
  return is_cube ? chip().cubes : chip().vectors;
}

// The blocks to run, in order: of a check, from one drawn place round, forwards or backwards.
std::vector<unsigned> order_of_blocks(const Launch& launch) {
  std::uint64_t stride = 1;
  if (settings().sample_blocks > 0 && launch.blocks > settings().sample_blocks) {
    stride = (launch.blocks + settings().sample_blocks - 1) / settings().sample_blocks;
    report_at("sampled-launch", nullptr,
              "only every " + std::to_string(stride) + "th block of " + std::to_string(launch.blocks) + " was run: " + launch.kernel->readable,
              "共 " + std::to_string(launch.blocks) + " 个块，每 " + std::to_string(stride) + " 个只执行一个：" + launch.kernel->readable);
  }
  std::vector<unsigned> blocks;
  for (std::uint64_t i = 0; i < launch.blocks; i += stride) blocks.push_back(static_cast<unsigned>(i));
  if (!settings().is_adversarial) return blocks;
  std::rotate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(settings().seed * 0x9e3779b97f4a7c15ULL % blocks.size()), blocks.end());
  if (settings().seed % 2 != 0) std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

void announce(Team& team) {
  team.waiting_workers = 0;
  ++team.change_count;
  team.changed.notify_all();
}

void wait_until(Task& task, std::function<bool()> ready, const void* place, std::string words) {
  task.wait_place = place;
  task.wait_words = std::move(words);
  {
    std::lock_guard lock(task.team->mutex);
    task.ready = std::move(ready);
  }
  leave(task);
}

void learn(Task& task, const std::vector<std::uint32_t>& clock) {
  for (std::size_t i = 0; i < task.clock.size() && i < clock.size(); ++i) task.clock[i] = std::max(task.clock[i], clock[i]);
}

void start_stretch(Task& task) {
  if (settings().is_check) task.clock[static_cast<std::size_t>(task.member)] = ++g_next_clock;
}

void let_others_run(Task& task, bool always) {
  if (task.team->tasks.size() == 1) return;
  if (!always) {
    if (!settings().is_adversarial) return;
    task.yields = task.yields * 6364136223846793005ULL + 1442695040888963407ULL;
    if ((task.yields >> 60) >= 4) return;
  }
  leave(task);  // still ready: it waits for nothing
}

void run_launch(Launch& launch) {
  int units = kIsVector;
  const int capacity = std::max(1, plan(launch, units));
  launch.first_clock = g_next_clock;
  guard_against_crashes_on_this_thread();
  const std::vector<unsigned> blocks = order_of_blocks(launch);
  Crew& crew = Crew::instance();
  for (std::size_t at = 0; at < blocks.size(); at += static_cast<std::size_t>(capacity)) {
    const std::size_t end = std::min(blocks.size(), at + static_cast<std::size_t>(capacity));
    std::vector<unsigned> wave(blocks.begin() + static_cast<std::ptrdiff_t>(at), blocks.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(wave.begin(), wave.end());
    std::unique_ptr<Team> team = make_team(launch, wave, units);
    const int workers = std::min<int>(crew.size(), static_cast<int>(team->tasks.size()));
    team->workers = team->unfinished_workers = workers;
    auto piece = [&](int number) {
      if (number >= workers) return;
      std::vector<Task*> own;
      // The cores of one block stay on one worker.
      for (auto& task : team->tasks) {
        const int group = launch.is_mixed ? task->member / (1 + launch.vectors_per_cube) : task->member;
        if (group % workers == number) own.push_back(task.get());
      }
      run_tasks(*team, own);
    };
    if (workers == 1)
      piece(0);
    else
      crew.run(piece);
  }
}

}  // namespace starbridge::emulate::ascend

namespace starbridge::emulate {
bool is_stack_guard(const void* address) { return ascend::worker().fibres.is_guard(address); }
}  // namespace starbridge::emulate
