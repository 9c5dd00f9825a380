// Launches: teams of tasks on the workers of this machine.
#include <algorithm>
#include <cstring>
#include <functional>

#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/bang/runtime/task.h"
#include "emulate/common/crash.h"
#include "emulate/common/crew.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

extern "C" {
__thread int __sb_taskId, __sb_taskIdX, __sb_taskIdY, __sb_taskIdZ, __sb_taskDim, __sb_taskDimX, __sb_taskDimY, __sb_taskDimZ;
__thread int __sb_coreId, __sb_coreDim, __sb_clusterId, __sb_clusterDim;
__thread char *__sb_nram, *__sb_wram, *__sb_sram, *__sb_ldram;
}

namespace starbridge::emulate::bang {

__thread Task* t_task = nullptr;

namespace {

struct Worker {
  FibrePool fibres;
  void* main_saved = nullptr;
  Task* running = nullptr;
};

Worker& worker() {
  thread_local Worker instance;
  return instance;
}

std::uint32_t g_next_clock = 1;  // of a check, which has one worker

void load_variables(const Task& task) {
  const Launch& launch = *task.launch;
  __sb_taskId = task.id;
  __sb_taskIdX = task.id_x;
  __sb_taskIdY = task.id_y;
  __sb_taskIdZ = task.id_z;
  __sb_taskDimX = static_cast<int>(launch.dim.x);
  __sb_taskDimY = static_cast<int>(launch.dim.y);
  __sb_taskDimZ = static_cast<int>(launch.dim.z);
  __sb_taskDim = __sb_taskDimX * __sb_taskDimY * __sb_taskDimZ;
  __sb_coreId = task.core_id;
  __sb_coreDim = chip().cores;
  __sb_clusterId = task.cluster_id;
  __sb_clusterDim = launch.union_clusters;
  __sb_nram = start_of(Space::kNram, task.core);
  __sb_wram = start_of(Space::kWram, task.core);
  __sb_ldram = start_of(Space::kLdram, task.core);
  __sb_sram = start_of(Space::kSram, task.cluster);
}

void end_task(Task& task);

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
  own.running = &task;
  t_task = &task;
  load_variables(task);
  sb_switch(&own.main_saved, task.fibre->saved);
  t_task = nullptr;
  own.running = nullptr;
}

void wait_in(Task& task) {
  Worker& own = worker();
  sb_switch(&task.fibre->saved, own.main_saved);
}

// A memory that no task wrote holds whatever it held: in a check, numbers nobody would take for results.
void spoil_memories(const Task& task) {
  const auto fill = static_cast<int>(0xa0 + settings().seed % 64);
  const SpaceMap* map = task.launch->kernel->spaces;
  for (std::uint32_t i = 0; map != nullptr && i < map->count; ++i) {
    const SpaceVariable& variable = map->variables[i];
    const auto space = static_cast<Space>(variable.space);
    if (space == Space::kSram ? !task.is_memory_core : task.is_memory_core) continue;
    char* start = start_of(space, space == Space::kSram ? task.cluster : task.core) + variable.offset;
    std::memset(start, fill, variable.bytes);
    set_poison(start, variable.bytes, true);
  }
}

void start_task(Task& task) {
  task.has_started = true;
  task.fibre = worker().fibres.take(&fibre_main);
  if (settings().is_check) {
    task.clock.assign(task.team->tasks.size(), task.launch->first_clock);
    task.clock[static_cast<std::size_t>(task.member)] = ++g_next_clock;
    task.yields = settings().seed + task.strand * 0x9e3779b97f4a7c15ULL;
    task.pipes.random = settings().seed * 0x9e3779b97f4a7c15ULL + task.strand;
  }
}

bool is_ready(const Task& task) {
  return !task.has_ended && (task.waits_for == nullptr || task.waits_for->generation > task.waits_past);
}

// Something happened that may let waiting workers go on; none of them counts as waiting any more. The team's mutex is held.
void announce(Team& team) {
  team.waiting_workers = 0;
  ++team.change_count;
  team.changed.notify_all();
}

// All participants are here or ended. The team's mutex is held.
void complete(Team& team, Barrier& barrier) {
  barrier.arrived = 0;
  barrier.first = nullptr;
  // Those who leave late must not learn what an early one does before the next meeting.
  barrier.released_clock = barrier.clock;
  barrier.released_time = barrier.time;
  ++barrier.generation;
  announce(team);
}

void report_early_end(Barrier& barrier) {
  if (barrier.first == nullptr) return;
  t_task = barrier.first;
  report_at("sync-participation", barrier.place,
            std::to_string(barrier.ended) + " of the " + std::to_string(barrier.expected) +
                " cores this sync waits for ended before it; the chip would hang",
            "该同步等待 " + std::to_string(barrier.expected) + " 个核，其中 " + std::to_string(barrier.ended) +
                " 个已提前结束；真实芯片会挂起");
  t_task = nullptr;
}

std::vector<Barrier*> barriers_of(const Task& task) {
  Team& team = *task.team;
  std::vector<Barrier*> result = {&team.all, task.is_memory_core ? &team.memory_cores : &team.cores};
  if (team.clusters > 0) {
    result.push_back(&team.in_cluster[static_cast<std::size_t>(task.cluster_id)]);
    if (!task.is_memory_core) result.push_back(&team.cores_in_cluster[static_cast<std::size_t>(task.cluster_id)]);
  }
  return result;
}

void end_task(Task& task) {
  if (settings().is_check) finish_pipes(task);
  if (LaunchTiming* timing = task.launch->timing; timing != nullptr) timing->add(task);
  Team& team = *task.team;
  std::lock_guard lock(team.mutex);
  task.has_ended = true;
  for (Barrier* barrier : barriers_of(task)) {
    ++barrier->ended;
    if (barrier->arrived > 0 && barrier->arrived + barrier->ended >= barrier->expected) {
      Task* running = t_task;
      report_early_end(*barrier);
      t_task = running;
      complete(team, *barrier);
    }
  }
}

void report_deadlock(Team& team) {
  const Task* first = nullptr;
  const Task* second = nullptr;
  int count = 0;
  for (const auto& task : team.tasks) {
    if (task->has_ended || task->waits_for == nullptr) continue;
    ++count;
    if (first == nullptr)
      first = task.get();
    else if (second == nullptr && task->wait_place != first->wait_place)
      second = task.get();
  }
  if (first == nullptr) return;
  t_task = const_cast<Task*>(first);
  report_at("deadlock", first->wait_place, "no core of the team can go on: " + std::to_string(count) + " wait at different syncs",
            "联合任务无法继续：" + std::to_string(count) + " 个核停在不同的同步处");
  if (second != nullptr) {
    t_task = const_cast<Task*>(second);
    report_at("deadlock", second->wait_place, "this core waits at another sync than the others", "该核停在与其他核不同的同步处");
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
  std::uint64_t seen = 0;
  while (unfinished > 0) {
    Task* chosen = nullptr;
    {
      std::unique_lock lock(team.mutex);
      seen = team.change_count;
      std::size_t start = turn;
      if (settings().is_adversarial) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        start = static_cast<std::size_t>(random >> 33) % tasks.size();
      }
      for (std::size_t i = 0; i < tasks.size() && chosen == nullptr; ++i) {
        Task* task = tasks[(start + i) % tasks.size()];
        if (is_ready(*task)) chosen = task;
      }
      if (chosen == nullptr) {
        if (++team.waiting_workers == team.unfinished_workers) report_deadlock(team);
        team.changed.wait(lock, [&] { return team.change_count != seen; });
        continue;
      }
      chosen->waits_for = nullptr;
    }
    turn = (turn + 1) % tasks.size();
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

std::unique_ptr<Team> make_team(Launch& launch, std::uint64_t number, int core_group) {
  auto team = std::make_unique<Team>();
  team->clusters = launch.union_clusters;
  const int cores = chip().cores;
  const int members = team->clusters == 0 ? 1 : team->clusters * (cores + 1);
  for (int member = 0; member < members; ++member) {
    auto task = std::make_unique<Task>();
    task->launch = &launch;
    task->team = team.get();
    task->member = member;
    task->strand = static_cast<std::uint32_t>(number * static_cast<std::uint64_t>(members) + static_cast<std::uint64_t>(member));
    if (team->clusters == 0) {
      task->id = static_cast<int>(number);
      task->core = core_group % (chip().clusters * cores);
      task->cluster = task->core / cores;
      task->core_id = task->core % cores;
      task->core = task->cluster * (cores + 1) + task->core_id;
    } else {
      task->cluster_id = member / (cores + 1);
      const int in_cluster = member % (cores + 1);
      task->is_memory_core = in_cluster == cores;
      task->core_id = task->is_memory_core ? kMemoryCoreId : in_cluster;
      task->cluster = (core_group * team->clusters + task->cluster_id) % std::max(chip().clusters, team->clusters);
      task->core = task->cluster * (cores + 1) + in_cluster;
      // The memory core carries the number of its cluster's first core.
      task->id =
          static_cast<int>(number) * team->clusters * cores + task->cluster_id * cores + (task->is_memory_core ? 0 : in_cluster);
    }
    const auto dim_x = static_cast<int>(launch.dim.x), dim_y = static_cast<int>(launch.dim.y);
    task->id_x = task->id % dim_x;
    task->id_y = task->id / dim_x % dim_y;
    task->id_z = task->id / dim_x / dim_y;
    team->tasks.push_back(std::move(task));
  }
  team->all.expected = members;
  team->cores.expected = team->clusters == 0 ? 1 : team->clusters * cores;
  team->memory_cores.expected = team->clusters;
  team->in_cluster.resize(static_cast<std::size_t>(team->clusters));
  team->cores_in_cluster.resize(static_cast<std::size_t>(team->clusters));
  if (settings().is_check) {
    for (auto& task : team->tasks) spoil_memories(*task);
  }
  for (Barrier& barrier : team->in_cluster) barrier.expected = cores + 1;
  for (Barrier& barrier : team->cores_in_cluster) barrier.expected = cores;
  return team;
}

Barrier& barrier_of(Task& task, Meeting meeting) {
  Team& team = *task.team;
  switch (meeting) {
    case Meeting::kAll:
      return team.all;
    case Meeting::kCores:
      return team.cores;
    case Meeting::kMemoryCores:
      return team.memory_cores;
    case Meeting::kClusterCores:
      return team.cores_in_cluster[static_cast<std::size_t>(task.cluster_id)];
    default:
      return team.in_cluster[static_cast<std::size_t>(task.cluster_id)];
  }
}

// What the participants know of each other flows together.
void join_clocks(Task& task, Barrier& barrier) {
  barrier.clock.resize(task.clock.size(), 0);
  for (std::size_t i = 0; i < task.clock.size(); ++i) barrier.clock[i] = std::max(barrier.clock[i], task.clock[i]);
}

cnrtRet_t check_shape(const Launch& launch) {
  if (launch.dim.x == 0 || launch.dim.y == 0 || launch.dim.z == 0) return cnrtErrorArgsInvalid;
  if (launch.union_clusters == 0) return cnrtSuccess;
  const auto team = static_cast<unsigned>(launch.union_clusters * chip().cores);
  std::string en, zh;
  if (launch.union_clusters > chip().clusters) {
    en = "a launch of type Union" + std::to_string(launch.union_clusters) + " needs as many clusters; " + chip().name + " has " +
         std::to_string(chip().clusters);
    zh = "Union" + std::to_string(launch.union_clusters) + " 需要同样多的 cluster；" + chip().name + " 只有 " +
         std::to_string(chip().clusters) + " 个";
  } else if (launch.dim.x % team != 0) {
    en = "dim.x of a Union" + std::to_string(launch.union_clusters) + " launch must be a multiple of " + std::to_string(team) +
         ", it is " + std::to_string(launch.dim.x);
    zh = "Union" + std::to_string(launch.union_clusters) + " 启动的 dim.x 必须是 " + std::to_string(team) + " 的倍数，实际为 " +
         std::to_string(launch.dim.x);
  } else {
    return cnrtSuccess;
  }
  report_at("union-shape", nullptr, launch.kernel->readable + ": " + en, launch.kernel->readable + "：" + zh);
  return cnrtErrorArgsInvalid;
}

}  // namespace

void meet(Meeting meeting, const void* place) {
  Task& task = *t_task;
  if (settings().is_check) sync_pipes(task, kAllPipes);
  if (settings().is_timed) time_sync(kAllPipes);
  if (task.team->clusters == 0) return;
  const bool is_for_cores = meeting == Meeting::kCores || meeting == Meeting::kClusterCores;
  if ((is_for_cores && task.is_memory_core) || (meeting == Meeting::kMemoryCores && !task.is_memory_core)) {
    report_at("sync-participation", place, "this sync is not for this kind of core; the chip would hang",
              "该同步不适用于此类核；真实芯片会挂起");
    return;
  }
  Team& team = *task.team;
  Barrier& barrier = barrier_of(task, meeting);
  {
    std::lock_guard lock(team.mutex);
    if (settings().is_check) join_clocks(task, barrier);
    if (settings().is_timed) time_arrival(barrier);
    task.waits_for = &barrier;
    task.waits_past = barrier.generation;
    task.wait_place = place;
    if (barrier.first == nullptr) {
      barrier.first = &task;
      barrier.place = place;
    }
    if (++barrier.arrived + barrier.ended >= barrier.expected) {
      if (barrier.ended > 0) {
        report_early_end(barrier);
        t_task = &task;
      }
      complete(team, barrier);
      if (barrier.expected == 1) task.waits_for = nullptr;
    }
  }
  wait_in(task);
  if (settings().is_timed) task.time.wait_until(barrier.released_time);
  if (settings().is_check) {
    std::lock_guard lock(team.mutex);
    for (std::size_t i = 0; i < task.clock.size(); ++i) task.clock[i] = std::max(task.clock[i], barrier.released_clock[i]);
    task.clock[static_cast<std::size_t>(task.member)] = ++g_next_clock;
  }
}

void let_others_run(Task& task) {
  if (!settings().is_adversarial || task.team->tasks.size() == 1) return;
  task.yields = task.yields * 6364136223846793005ULL + 1442695040888963407ULL;
  if ((task.yields >> 60) < 4) wait_in(task);  // still ready: it waits for nothing
}

cnrtRet_t run_launch(Launch& launch) {
  if (cnrtRet_t shape = check_shape(launch); shape != cnrtSuccess) return shape;
  if (!check_capacity(*launch.kernel)) return cnrtErrorInvalidResource;
  const std::uint64_t tasks = std::uint64_t{launch.dim.x} * launch.dim.y * launch.dim.z;
  launch.team_count =
      launch.union_clusters == 0 ? tasks : tasks / static_cast<std::uint64_t>(launch.union_clusters * chip().cores);
  // --sample: a part of a Block launch; a Union's tasks need each other.
  std::uint64_t stride = 1;
  if (settings().sample_blocks > 0 && launch.union_clusters == 0 && launch.team_count > settings().sample_blocks) {
    stride = (launch.team_count + settings().sample_blocks - 1) / settings().sample_blocks;
    report_at("sampled-launch", nullptr,
              "only every " + std::to_string(stride) + "th task of " + std::to_string(launch.team_count) +
                  " was run: " + launch.kernel->readable,
              "共 " + std::to_string(launch.team_count) + " 个任务，每 " + std::to_string(stride) + " 个只执行一个：" +
                  launch.kernel->readable);
  }
  launch.first_clock = g_next_clock;
  Crew& crew = Crew::instance();
  guard_against_crashes_on_this_thread();
  // How many teams the chip can hold at once.
  const int groups =
      std::max(1, launch.union_clusters == 0 ? chip().clusters * chip().cores : chip().clusters / launch.union_clusters);
  const int count = launch.team_count == 1 ? 1 : std::min(crew.size(), groups);
  if (launch.union_clusters == 0 || count > 1 || crew.size() == 1) {
    auto piece = [&](int number) {
      if (number >= count) return;
      for (std::uint64_t turn = launch.next_team.fetch_add(stride); turn < launch.team_count;
           turn = launch.next_team.fetch_add(stride)) {
        // In a check, from one drawn place round, forwards or backwards.
        std::uint64_t i = turn;
        if (settings().is_adversarial) {
          i = (turn + settings().seed * 0x9e3779b97f4a7c15ULL % launch.team_count) % launch.team_count;
          if (settings().seed % 2 != 0) i = launch.team_count - 1 - i;
        }
        // In a run, a worker has cores of its own; in a check there is one worker.
        const std::uint64_t spread = count == 1 ? i : static_cast<std::uint64_t>(number);
        std::unique_ptr<Team> team = make_team(launch, i, static_cast<int>(spread % static_cast<std::uint64_t>(groups)));
        std::vector<Task*> own;
        for (auto& task : team->tasks) own.push_back(task.get());
        run_tasks(*team, own);
      }
    };
    if (count == 1)
      piece(0);
    else
      crew.run(piece);
    return cnrtSuccess;
  }
  // One team at a time: each is shared by all workers.
  for (std::uint64_t i = 0; i < launch.team_count; ++i) {
    std::unique_ptr<Team> team = make_team(launch, i, 0);
    team->workers = crew.size();
    team->unfinished_workers = crew.size();
    crew.run([&](int number) {
      std::vector<Task*> own;
      for (auto& task : team->tasks) {
        if (task->member % team->workers == number) own.push_back(task.get());
      }
      run_tasks(*team, own);
    });
  }
  return cnrtSuccess;
}

}  // namespace starbridge::emulate::bang

namespace starbridge::emulate {
bool is_stack_guard(const void* address) { return bang::worker().fibres.is_guard(address); }
}  // namespace starbridge::emulate
