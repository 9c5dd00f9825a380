// Pipes of a core: scalar, vector, matrix, the three movers and fixpipe. Each keeps its own order; between them only flags and
// barriers make one. In a run everything is done at once, in the order written. In a check every operation is kept until some legal
// moment, drawn from the seed, and one that touches what another pipe still works on is reported. Scalar accesses wait by
// themselves, as the compiler's automatic synchronisation makes them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "starbridge/asc_codes.h"

namespace starbridge::emulate::ascend {

using PipeClock = std::array<std::uint32_t, SB_PIPE_COUNT>;

struct Segment {
  const char* start = nullptr;
  std::int64_t bytes = 0;
  bool is_write = false;
};

struct Operation {
  int pipe = SB_PIPE_V;
  const char* name = "";
  const void* place = nullptr;
  bool is_atomic = false;
  std::vector<Segment> segments;
  std::function<void()> work;
};

struct PipeEntry {
  enum Kind { kWork, kRaise, kWait } kind = kWork;
  std::uint32_t flag = 0;
  std::function<void()> work;
};

struct Pipes {
  std::deque<PipeEntry> queues[SB_PIPE_COUNT];
  std::unordered_map<std::uint32_t, int> raised;  // flags that are up now
  struct Raised {
    PipeClock clock;
    const void* place;
  };
  std::map<std::uint32_t, std::deque<Raised>> flags;  // raised and not yet waited for, in the order written
  PipeClock clock = {};                    // how much each pipe was given
  PipeClock known[SB_PIPE_COUNT] = {};     // how much of each other pipe's work is over when a pipe goes on
  std::uint64_t random = 0;
};

constexpr std::uint32_t flag_of(int from, int to, int id) { return static_cast<std::uint32_t>((from * 8 + to) * 64 + (id & 63)); }

struct Task;

void start_pipes(Task& task);
// Gives an operation to its pipe: done at once in a run.
void issue(Task& task, Operation operation);
void raise_flag(Task& task, int from, std::uint32_t flag, const void* place);
// False when nobody raised it before.
bool wait_flag(Task& task, int to, std::uint32_t flag);
void barrier(Task& task, int pipe);
// A scalar access of a core's own memory: what other pipes do there is over when this returns.
void before_scalar(Task& task, const char* start, std::int64_t bytes, bool is_write, const void* place);
// The scalar pipe waits for `pipe`, or for all.
void drain(Task& task, int pipe);
// The task ended: what is still under way is carried out; flags nobody waited for are reported.
void finish_pipes(Task& task);
const char* name_of_pipe(int pipe);

}  // namespace starbridge::emulate::ascend
