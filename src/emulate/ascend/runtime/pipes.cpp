#include "emulate/ascend/runtime/pipes.h"

#include <algorithm>

#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/ascend/runtime/task.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

std::uint32_t g_last_clock = 1;  // of tasks that ended, for those that start; a check has one worker

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void join(PipeClock& to, const PipeClock& from) {
  for (int i = 0; i < SB_PIPE_COUNT; ++i) to[i] = std::max(to[i], from[i]);
}

// Pipes whose instructions come to an end in the order they were given: movers may overlap their own.
bool is_in_order(int pipe) { return pipe == SB_PIPE_S || pipe == SB_PIPE_V || pipe == SB_PIPE_M; }

// One step of a pipe; false when it is empty or waits for a flag.
bool step(Pipes& pipes, int pipe) {
  std::deque<PipeEntry>& queue = pipes.queues[pipe];
  if (queue.empty()) return false;
  if (queue.front().kind == PipeEntry::kWait) {
    int& up = pipes.raised[queue.front().flag];
    if (up == 0) return false;
    --up;
    queue.pop_front();
    return true;
  }
  PipeEntry entry = std::move(queue.front());
  queue.pop_front();
  if (entry.kind == PipeEntry::kRaise)
    ++pipes.raised[entry.flag];
  else
    entry.work();
  return true;
}

bool step_any(Pipes& pipes) {
  const int first = static_cast<int>(next_random(pipes.random) % SB_PIPE_COUNT);
  for (int i = 0; i < SB_PIPE_COUNT; ++i) {
    if (step(pipes, (first + i) % SB_PIPE_COUNT)) return true;
  }
  return false;
}

// Some legal progress: each pipe takes a few steps, or none.
void let_pipes_run(Pipes& pipes) {
  const std::uint64_t draw = next_random(pipes.random);
  for (int pipe = 1; pipe < SB_PIPE_COUNT; ++pipe) {
    const std::uint64_t steps = (draw >> (pipe * 8)) & 7;
    if (steps > 3) continue;  // a lazy moment of this pipe
    for (std::uint64_t i = 0; i < steps; ++i) {
      if (!step(pipes, pipe)) break;
    }
  }
}

void empty(Pipes& pipes, int pipe) {
  while (!pipes.queues[pipe].empty()) {
    if (step(pipes, pipe) || step_any(pipes)) continue;
    pipes.queues[pipe].pop_front();  // a wait that nobody ends was reported when it was written
  }
}

void report_hazard(Task& task, const Operation& operation, bool is_write, int other_pipe, const Mark& other, bool other_writes) {
  const std::string here = name_of_pipe(operation.pipe), there = name_of_pipe(other_pipe);
  report_pair("missing-pipe-sync", task, operation.place, is_write, place_of_mark(task, other.place), other_writes,
              std::string(operation.name) + " on " + here + (is_write ? " writes" : " reads") + " what " + there +
                  (other_writes ? " may still write" : " may still read") +
                  (here == there ? "; no PipeBarrier lies between" : "; no flag from " + there + " to " + here + " lies between"),
              std::string(operation.name) + "（" + here + "）" + (is_write ? "写入" : "读取") + "的数据可能仍被 " + there +
                  (other_writes ? " 写入" : " 读取") + (here == there ? "，两者之间没有 PipeBarrier" : "，两者之间没有从 " + there + " 到 " + here + " 的事件"));
}

// Accesses of a core's own memory, in pieces of 32 bytes.
void note_own(Task& task, const Operation& operation, const Segment& segment) {
  Pipes& pipes = task.pipes;
  const int pipe = operation.pipe;
  const Mark mark{pipes.clock[pipe], place_mark(task, operation.place)};
  const auto start = reinterpret_cast<std::uintptr_t>(segment.start) & ~std::uintptr_t{31};
  const auto end = reinterpret_cast<std::uintptr_t>(segment.start) + static_cast<std::uintptr_t>(segment.bytes);
  bool is_told = false;
  for (std::uintptr_t at = start; at < end; at += 32) {
    Hazard& hazard = hazard_at(at);
    if (!is_told && hazard.write.clock > pipes.known[pipe][hazard.write_pipe] &&
        (static_cast<int>(hazard.write_pipe) != pipe || (segment.is_write && !is_in_order(pipe)))) {
      // A mover's own earlier write of the same instruction does not count.
      if (static_cast<int>(hazard.write_pipe) != pipe || hazard.write.clock != mark.clock) {
        is_told = true;
        report_hazard(task, operation, segment.is_write, static_cast<int>(hazard.write_pipe), hazard.write, true);
      }
    }
    if (!segment.is_write) {
      hazard.reads[pipe] = mark;
      continue;
    }
    for (int other = 0; other < SB_PIPE_COUNT; ++other) {
      if (is_told || other == pipe || hazard.reads[other].clock <= pipes.known[pipe][other]) continue;
      is_told = true;
      report_hazard(task, operation, true, other, hazard.reads[other], false);
    }
    hazard.write = mark;
    hazard.write_pipe = static_cast<std::uint32_t>(pipe);
    for (Mark& read : hazard.reads) read.clock = 0;
  }
}

}  // namespace

const char* name_of_pipe(int pipe) {
  static const char* const names[] = {"PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL"};
  return names[pipe];
}

void start_pipes(Task& task) {
  Pipes& pipes = task.pipes;
  pipes.clock.fill(g_last_clock);
  for (PipeClock& known : pipes.known) known.fill(g_last_clock);
  pipes.random = settings().seed * 0x9e3779b97f4a7c15ULL + task.strand;
}

void issue(Task& task, Operation operation) {
  if (!settings().is_check) {
    operation.work();
    return;
  }
  Pipes& pipes = task.pipes;
  const int pipe = operation.pipe;
  // An instruction starts after all that the scalar unit had seen to its end when it gave it.
  join(pipes.known[pipe], pipes.known[SB_PIPE_S]);
  pipes.known[pipe][SB_PIPE_S] = pipes.clock[SB_PIPE_S];
  ++pipes.clock[pipe];
  if (is_in_order(pipe)) pipes.known[pipe][pipe] = pipes.clock[pipe];
  bool touches_gm = false;
  for (const Segment& segment : operation.segments) {
    if (segment.bytes <= 0) continue;
    const Memory memory = memory_of(segment.start);
    if (memory == Memory::kGm) {
      touches_gm = true;
      note_gm(task, segment, pipe, operation.is_atomic, operation.place);
    } else if (memory != Memory::kHost) {
      note_own(task, operation, segment);
    }
  }
  PipeEntry entry;
  entry.work = std::move(operation.work);
  pipes.queues[pipe].push_back(std::move(entry));
  let_pipes_run(pipes);
  if (touches_gm) let_others_run(task);
}

void raise_flag(Task& task, int from, std::uint32_t flag, const void* place) {
  if (!settings().is_check) return;
  Pipes& pipes = task.pipes;
  PipeClock clock = pipes.known[from];
  join(clock, pipes.known[SB_PIPE_S]);
  clock[SB_PIPE_S] = std::max(clock[SB_PIPE_S], pipes.clock[SB_PIPE_S]);
  clock[static_cast<std::size_t>(from)] = pipes.clock[static_cast<std::size_t>(from)];
  pipes.flags[flag].push_back({clock, place});
  if (from == SB_PIPE_S) {
    ++pipes.raised[flag];
    return;
  }
  PipeEntry entry;
  entry.kind = PipeEntry::kRaise;
  entry.flag = flag;
  pipes.queues[from].push_back(std::move(entry));
}

bool wait_flag(Task& task, int to, std::uint32_t flag) {
  if (!settings().is_check) return true;
  Pipes& pipes = task.pipes;
  auto found = pipes.flags.find(flag);
  if (found == pipes.flags.end() || found->second.empty()) return false;
  join(pipes.known[to], found->second.front().clock);
  found->second.pop_front();
  if (to == SB_PIPE_S) {
    while (pipes.raised[flag] == 0 && step_any(pipes)) {
    }
    if (pipes.raised[flag] > 0) --pipes.raised[flag];
    return true;
  }
  PipeEntry entry;
  entry.kind = PipeEntry::kWait;
  entry.flag = flag;
  pipes.queues[to].push_back(std::move(entry));
  let_pipes_run(pipes);
  return true;
}

void drain(Task& task, int pipe) {
  if (!settings().is_check) return;
  Pipes& pipes = task.pipes;
  const int first = static_cast<int>(next_random(pipes.random) % SB_PIPE_COUNT);
  for (int i = 0; i < SB_PIPE_COUNT; ++i) {
    const int each = (first + i) % SB_PIPE_COUNT;
    if (each == SB_PIPE_S || (pipe != SB_PIPE_ALL && each != pipe)) continue;
    empty(pipes, each);
    join(pipes.known[SB_PIPE_S], pipes.known[each]);
    pipes.known[SB_PIPE_S][static_cast<std::size_t>(each)] = pipes.clock[static_cast<std::size_t>(each)];
  }
}

void barrier(Task& task, int pipe) {
  if (!settings().is_check) return;
  Pipes& pipes = task.pipes;
  if (pipe == SB_PIPE_ALL) {
    drain(task, SB_PIPE_ALL);
    for (PipeClock& known : pipes.known) join(known, pipes.known[SB_PIPE_S]);
    return;
  }
  if (pipe >= 0 && pipe < SB_PIPE_COUNT) pipes.known[pipe][static_cast<std::size_t>(pipe)] = pipes.clock[static_cast<std::size_t>(pipe)];
}

void before_scalar(Task& task, const char* start, std::int64_t bytes, bool is_write, const void* place) {
  Pipes& pipes = task.pipes;
  const auto low = reinterpret_cast<std::uintptr_t>(start) & ~std::uintptr_t{31};
  const auto end = reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(bytes);
  for (std::uintptr_t at = low; at < end; at += 32) {
    Hazard& hazard = hazard_at(at);
    if (hazard.write.clock > pipes.known[SB_PIPE_S][hazard.write_pipe]) drain(task, static_cast<int>(hazard.write_pipe));
    if (!is_write) continue;
    for (int other = 1; other < SB_PIPE_COUNT; ++other) {
      if (hazard.reads[other].clock > pipes.known[SB_PIPE_S][static_cast<std::size_t>(other)]) drain(task, other);
    }
    hazard.write = {++pipes.clock[SB_PIPE_S], place_mark(task, place)};
    hazard.write_pipe = SB_PIPE_S;
    pipes.known[SB_PIPE_S][SB_PIPE_S] = pipes.clock[SB_PIPE_S];
    for (Mark& read : hazard.reads) read.clock = 0;
  }
}

void finish_pipes(Task& task) {
  drain(task, SB_PIPE_ALL);
  for (auto& [flag, raised] : task.pipes.flags) {
    if (raised.empty() || flag >= 1U << 20) continue;
    const int from = static_cast<int>(flag / 64 / 8), to = static_cast<int>(flag / 64 % 8);
    report_at("unpaired-flag", raised.front().place,
              std::string("SetFlag ") + name_of_pipe(from) + " to " + name_of_pipe(to) + ", event " + std::to_string(flag % 64) +
                  ", has no WaitFlag; the next kernel on this core finds it raised",
              std::string("SetFlag（") + name_of_pipe(from) + " 到 " + name_of_pipe(to) + "，事件 " + std::to_string(flag % 64) +
                  "）没有对应的 WaitFlag，会影响该核上的下一个内核");
  }
  g_last_clock = std::max(g_last_clock, *std::max_element(task.pipes.clock.begin(), task.pipes.clock.end()) + 1);
}

}  // namespace starbridge::emulate::ascend
