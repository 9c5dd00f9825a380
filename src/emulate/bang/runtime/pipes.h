// Pipes of a core: scalar, compute, io (whatever touches memory off the chip) and move (copies on the chip). Each keeps its own
// order; between them only syncs, and the blocking form of a copy, make an order. In a run everything is done at once, in the
// order written. In a check every operation is kept until some legal moment, drawn from the seed, and an operation that touches
// what another pipe still works on is reported.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace starbridge::emulate::bang {

enum class Pipe : unsigned { kScalar, kCompute, kIo, kMove };
constexpr unsigned bit(Pipe pipe) { return 1U << static_cast<unsigned>(pipe); }
constexpr unsigned kAllPipes = ~0U;

// Bytes an operation reads or writes: `bytes` at `start`, repeated at two strides.
struct Region {
  const char* start = nullptr;
  std::int64_t bytes = 0;
  std::int64_t stride0 = 0, count0 = 1;
  std::int64_t stride1 = 0, count1 = 1;
  bool is_write = false;
  bool operator==(const Region&) const = default;
};
bool overlap(const Region& a, const Region& b);
// Calls `each(start, bytes)` for every segment; one that covers all when they touch.
template <class F>
void each_segment(const Region& region, F each) {
  if (region.count0 == 1 && region.count1 == 1) return each(region.start, region.bytes);
  if (region.count1 == 1 && region.stride0 == region.bytes) return each(region.start, region.bytes * region.count0);
  for (std::int64_t j = 0; j < region.count1; ++j) {
    for (std::int64_t i = 0; i < region.count0; ++i) each(region.start + j * region.stride1 + i * region.stride0, region.bytes);
  }
}

struct Operation {
  Pipe pipe = Pipe::kScalar;
  bool is_async = false;  // the core goes on at once; only a sync makes sure
  const char* name = "";
  const void* place = nullptr;
  std::vector<Region> regions;
  std::function<void()> work;
  bool is_done = false;
};

struct Pipes {
  std::deque<Operation> pending;  // not yet made sure by a sync, in the order written
  std::uint64_t random = 0;
};

struct Task;

// Starts an operation of the running task in a check. Blocking ones are over when this returns.
void issue(Task& task, Operation operation);
// The named pipes are empty when this returns.
void sync_pipes(Task& task, unsigned pipes);
// A scalar access: what it touches must not be under way on a copy's pipe; the compute pipe is waited for.
void before_scalar(Task& task, const Region& region, const void* place);
// The task ended: what is still under way is carried out, and copies nobody waited for are remarked.
void finish_pipes(Task& task);

}  // namespace starbridge::emulate::bang
