// Flags and barriers inside a core, meetings of cores, and what a kernel may ask about where it runs.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "emulate/ascend/runtime/cache.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

std::string pipes_word(int from, int to) { return std::string(name_of_pipe(from)) + " to " + name_of_pipe(to); }

void join(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

int count_of(const Team& team, int units) {
  int count = 0;
  for (const auto& task : team.tasks) count += units == 0 || task->units == units ? 1 : 0;
  return count;
}

// All tasks of a kind (0: every one) meet.
void meet(Task& task, int units, const void* place, const char* name) {
  Team& team = *task.team;
  if (settings().is_check) drain(task, SB_PIPE_ALL);
  Meeting& meeting = team.all[units];
  const int expected = count_of(team, units);
  if (static_cast<unsigned>(expected) < task.launch->blocks && !task.launch->is_mixed && settings().sample_blocks == 0)
    report_at("sync-participation", place, std::string(name) + " of " + std::to_string(task.launch->blocks) + " blocks on " + std::to_string(expected) + " cores: blocks that wait hold the cores that the others need; the chip would hang",
              std::string(name) + " 需要 " + std::to_string(task.launch->blocks) + " 个块同时驻留，但只有 " + std::to_string(expected) + " 个核；真实芯片会挂起");
  std::uint64_t past = 0;
  {
    std::lock_guard lock(team.mutex);
    join(meeting.clock, task.clock);
    past = meeting.generation;
    if (++meeting.arrived == expected) {
      meeting.arrived = 0;
      meeting.released_clock = meeting.clock;
      ++meeting.generation;
      announce(team);
    }
  }
  Meeting* where = &meeting;
  Team* all = &team;
  const int wanted = units;
  wait_until(
      task,
      [where, past, all, wanted] {
        if (where->generation > past) return true;
        (void)all;
        (void)wanted;
        return false;
      },
      place, name);
  learn(task, meeting.released_clock);
  start_stretch(task);
}

std::uint64_t cross_key(int mode, int block, int sub, int id, bool to_cube) { return (static_cast<std::uint64_t>(mode) << 40) | (static_cast<std::uint64_t>(static_cast<unsigned>(block)) << 16) | (static_cast<std::uint64_t>(sub) << 12) | (to_cube ? 1ULL << 11 : 0) | static_cast<std::uint64_t>(id); }
// The counters a waiting task looks at: of its block and core.
std::uint64_t own_key(const Task& task, int id) { return cross_key(0, task.block, task.units == kIsCube ? 0 : task.sub_block, id, task.units == kIsCube); }

[[noreturn]] void end_with(int code) {
  finish_log();
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

extern "C" {

void __sb_asc_set_flag(int from, int to, int id) {
  const void* place = __builtin_return_address(0);
  if (!settings().is_check) return;
  Task& task = *current_task();
  check_range("SetFlag", "the event", id, 0, 7, place);
  auto& waiting = task.pipes.flags[flag_of(from, to, id)];
  if (!waiting.empty())
    report_pair("repeated-flag", task, place, true, waiting.back().place, true, "SetFlag " + pipes_word(from, to) + ", event " + std::to_string(id) + ", is raised a second time before anybody waited for it",
                "SetFlag（" + pipes_word(from, to) + "，事件 " + std::to_string(id) + "）在被等待之前重复设置");
  raise_flag(task, from, flag_of(from, to, id), place);
}

void __sb_asc_wait_flag(int from, int to, int id) {
  const void* place = __builtin_return_address(0);
  if (!settings().is_check) return;
  Task& task = *current_task();
  if (!wait_flag(task, to, flag_of(from, to, id)))
    report_at("unpaired-flag", place, "WaitFlag " + pipes_word(from, to) + ", event " + std::to_string(id) + ": no SetFlag came before; the pipe would wait for ever",
              "WaitFlag（" + pipes_word(from, to) + "，事件 " + std::to_string(id) + "）之前没有对应的 SetFlag，流水会一直等待");
}

int __sb_asc_event(int from, int to, int takes) {
  std::uint32_t& taken = current_task()->buffers.events[from][to];
  for (int id = 0; id < 8; ++id) {
    if ((taken >> id & 1) != 0) continue;
    if (takes != 0) taken |= 1U << id;
    return id;
  }
  report_at("capacity", __builtin_return_address(0), "AllocEventID " + pipes_word(from, to) + ": all 8 events are taken; ReleaseEventID is missing", "AllocEventID（" + pipes_word(from, to) + "）：8 个事件均已占用，缺少 ReleaseEventID");
  return 0;
}
void __sb_asc_release_event(int from, int to, int id) { current_task()->buffers.events[from][to] &= ~(1U << (id & 7)); }
void __sb_asc_barrier(int pipe) { barrier(*current_task(), pipe); }

void __sb_asc_sync_all(int only_vector, const void*, const void*, int) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (only_vector != 0 && task.units == kIsCube) {
    if (task.launch->is_mixed) return;
    meet(task, kIsCube, place, "SyncAll");
    return;
  }
  meet(task, only_vector != 0 && task.launch->is_mixed ? kIsVector : 0, place, "SyncAll");
}

void __sb_asc_cross_set(int mode, int, int id) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (settings().is_check) {
    check_range("CrossCoreSetFlag", "the flag", id, 0, 10, place);
    drain(task, SB_PIPE_ALL);
  }
  Team& team = *task.team;
  std::lock_guard lock(team.mutex);
  auto raise = [&](const Task& to) {
    CrossFlag& flag = team.flags[own_key(to, id)];
    // Modes 0 and 1: a core's flag is up when each of the group has raised it.
    ++flag.count;
    join(flag.clock, task.clock);
    if (settings().is_check && flag.count > 15 * (mode == 2 ? 1 : static_cast<int>(team.tasks.size())))
      report_at("repeated-flag", place, "CrossCoreSetFlag " + std::to_string(id) + " was raised more than 15 times without a wait", "CrossCoreSetFlag " + std::to_string(id) + " 在未被等待的情况下设置超过 15 次");
  };
  for (const auto& other : team.tasks) {
    const bool same_kind = other->units == task.units, same_block = other->block == task.block;
    if (mode == 0 ? same_kind : mode == 1 ? same_kind && same_block : !same_kind && same_block) raise(*other);
  }
  task.launch->cross_modes[id & 15] = mode;
  announce(team);
}

void __sb_asc_cross_wait(int id, int) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (settings().is_check) drain(task, SB_PIPE_ALL);
  Team& team = *task.team;
  const std::uint64_t key = own_key(task, id);
  auto needed = [&team, &task, id] {
    const int mode = task.launch->cross_modes[id & 15];
    int count = 0;
    for (const auto& other : team.tasks) {
      const bool same_kind = other->units == task.units, same_block = other->block == task.block;
      count += (mode == 0 ? same_kind : mode == 1 ? same_kind && same_block : !same_kind && same_block) ? 1 : 0;
    }
    return count;
  };
  wait_until(task, [&team, key, needed] { return team.flags[key].count >= std::max(1, needed()); }, place, "CrossCoreSetFlag " + std::to_string(id));
  std::lock_guard lock(team.mutex);
  CrossFlag& flag = team.flags[key];
  flag.count -= std::max(1, needed());
  learn(task, flag.clock);
  start_stretch(task);
}

void __sb_asc_ib_set(const void* gm, const void*, int block, int event) {
  Task& task = *current_task();
  if (settings().is_check) drain(task, SB_PIPE_ALL);
  Team& team = *task.team;
  std::lock_guard lock(team.mutex);
  auto& known = team.block_flags[reinterpret_cast<std::uintptr_t>(gm) ^ (static_cast<std::uint64_t>(static_cast<unsigned>(block)) << 48) ^ (static_cast<std::uint64_t>(static_cast<unsigned>(event)) << 40)];
  join(known, task.clock);
  if (known.empty()) known.push_back(0);
  announce(team);
}

void __sb_asc_ib_wait(const void* gm, const void*, int block, int event) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (settings().is_check) drain(task, SB_PIPE_ALL);
  Team& team = *task.team;
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(gm) ^ (static_cast<std::uint64_t>(static_cast<unsigned>(block)) << 48) ^ (static_cast<std::uint64_t>(static_cast<unsigned>(event)) << 40);
  wait_until(task, [&team, key] { return team.block_flags.count(key) > 0; }, place, "IBSet of block " + std::to_string(block) + ", event " + std::to_string(event));
  std::lock_guard lock(team.mutex);
  learn(task, team.block_flags[key]);
  team.block_flags.erase(key);
  start_stretch(task);
}

int __sb_asc_system(int what) {
  const Task& task = *current_task();
  const Launch& launch = *task.launch;
  const bool is_vector_of_mix = launch.is_mixed && task.units == kIsVector;
  switch (what) {
    case 0: return is_vector_of_mix ? task.block * launch.vectors_per_cube + task.sub_block : task.block;
    case 1: return static_cast<int>(launch.blocks);
    case 2: return task.sub_block;
    case 3: return is_vector_of_mix ? launch.vectors_per_cube : 1;
    case 4: return is_vector_of_mix ? launch.vectors_per_cube : 1;
    case 6: return chip().aicore;
    case 7: return task.units == (kIsCube | kIsVector) ? 0 : task.units;
    case 8: return task.block;
    case 9: return launch.is_mixed ? 1 : 0;
    case 12: return static_cast<int>(task.accumulated);
    default: return 0;
  }
}

char* __sb_asc_workspace(int what, void* given) {
  Task& task = *current_task();
  if (what == 2) task.system_workspace = static_cast<char*>(given);
  // An operator's workspace begins with the system's part, which stays apart here.
  return what == 1 ? static_cast<char*>(given) : task.system_workspace;
}
void __sb_asc_task_type(int, int) {}
unsigned __sb_asc_tiling_key() { return current_task()->launch->tiling_key; }
void __sb_asc_check_tiling(const void* at, sb_long bytes) {
  if (settings().is_check) check_operand(*current_task(), "GET_TILING_DATA", "the tiling data", {static_cast<const char*>(at), bytes, false}, memory_bit(Memory::kGm), 1, __builtin_return_address(0));
}

void __sb_asc_trap() {
  report_at("device-trap", __builtin_return_address(0), "the kernel stopped itself", "内核主动中止");
  end_with(kExitStuck);
}
void __sb_assert_fail(const char* condition, const char*, unsigned, const char*) {
  report_at("device-assert", __builtin_return_address(0), std::string("the assertion does not hold: ") + condition, std::string("断言不成立：") + condition);
  end_with(kExitStuck);
}
int __sb_asc_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = std::vprintf(format, arguments);
  va_end(arguments);
  return count;
}
int __sb_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = std::vprintf(format, arguments);
  va_end(arguments);
  return count;
}
void __sb_asc_dump(const char* name, int type, const void* at, sb_long count, unsigned number) {
  Task& task = *current_task();
  const Segment read{static_cast<const char*>(at), count * kTypeBytes[type], false};
  if (settings().is_check) {
    drain(task, SB_PIPE_ALL);
    if (!check_operand(task, name, "the tensor", read, ~memory_bit(Memory::kHost), 1, __builtin_return_address(0))) return;
  }
  std::printf("%s: desc=%u, block=%d, position=%s, count=%lld\n[", name, number, task.block, name_of(memory_of(at)), static_cast<long long>(count));
  for (sb_long i = 0; i < count; ++i) {
    const char* element = read.start + i * kTypeBytes[type];
    const char* between = i == 0 ? "" : ", ";
    if (is_floating(type)) {
      float value = 0;
      loops().to_float(type, &value, element, 1);
      std::printf("%s%g", between, static_cast<double>(value));
    } else {
      unsigned long long bits = 0;
      std::memcpy(&bits, element, static_cast<std::size_t>(kTypeBytes[type]));
      const auto unused = static_cast<unsigned>(64 - 8 * kTypeBytes[type]);
      std::printf("%s%lld", between, static_cast<long long>(bits << unused) >> unused);
    }
  }
  std::printf("]\n");
}
void* __sb_device_malloc(std::size_t) { return nullptr; }
void __sb_device_free(void*) {}
}
