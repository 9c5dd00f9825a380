#include "emulate/bang/runtime/pipes.h"

#include <algorithm>

#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/task.h"

namespace starbridge::emulate::bang {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct Span {
  const char* low;
  const char* high;
};

Span span_of(const Region& region) {
  const std::int64_t reach0 = region.stride0 * (region.count0 - 1), reach1 = region.stride1 * (region.count1 - 1);
  return {region.start + std::min<std::int64_t>(reach0, 0) + std::min<std::int64_t>(reach1, 0),
          region.start + std::max<std::int64_t>(reach0, 0) + std::max<std::int64_t>(reach1, 0) + region.bytes};
}

bool is_solid(const Region& region) {
  return region.count1 == 1 && (region.count0 == 1 || region.stride0 == region.bytes || region.stride0 == 0);
}

// Does [low, high) meet a segment of `region`?
bool meets(const Region& region, const char* low, const char* high) {
  for (std::int64_t j = 0; j < region.count1; ++j) {
    const char* start = region.start + j * region.stride1;
    if (region.stride0 > 0) {
      // The first segment that ends behind `low`.
      const std::int64_t k = low < start + region.bytes ? 0 : (low - start - region.bytes) / region.stride0 + 1;
      if (k < region.count0 && start + k * region.stride0 < high) return true;
      continue;
    }
    for (std::int64_t i = 0; i < region.count0; ++i) {
      const char* at = start + i * region.stride0;
      if (at < high && low < at + region.bytes) return true;
      if (region.stride0 == 0) break;
    }
  }
  return false;
}

void carry_out(Operation& operation) {
  if (operation.is_done) return;
  operation.is_done = true;
  operation.work();
}

constexpr std::uint64_t kQueueMost = 64;  // operations a pipe may be behind; without a bound a long loop would take its square

// Some legal progress: per pipe a few of the oldest operations happen now, or none.
void let_pipes_run(Task& task) {
  const std::uint64_t draw = next_random(task.pipes.random);
  std::uint64_t behind[4] = {};
  for (const Operation& operation : task.pipes.pending) behind[static_cast<unsigned>(operation.pipe)] += operation.is_done ? 0 : 1;
  for (unsigned pipe = 1; pipe <= 3; ++pipe) {
    std::uint64_t steps = (draw >> (pipe * 8)) & 7;
    if (steps > 3) steps = 0;  // a lazy moment of this pipe
    if (behind[pipe] > kQueueMost) steps = std::max(steps, behind[pipe] - kQueueMost);
    for (Operation& operation : task.pipes.pending) {
      if (steps == 0) break;
      if (static_cast<unsigned>(operation.pipe) != pipe || operation.is_done) continue;
      carry_out(operation);
      --steps;
    }
  }
}

// Of operations of a pipe on the same bytes the latest is enough to judge those of other pipes by: a loop does the same again.
void forget_repeated(std::deque<Operation>& pending) {
  Operation latest = std::move(pending.back());
  pending.pop_back();
  std::erase_if(pending, [&](const Operation& each) {
    return each.is_done && each.pipe == latest.pipe && each.is_async == latest.is_async && each.regions == latest.regions;
  });
  pending.push_back(std::move(latest));
}

void report_conflicts(Task& task, const Operation& operation, bool waits_for_compute) {
  for (const Operation& earlier : task.pipes.pending) {
    if (earlier.pipe == operation.pipe) continue;
    if (earlier.pipe == Pipe::kCompute && !earlier.is_async && waits_for_compute) continue;
    for (const Region& mine : operation.regions) {
      for (const Region& its : earlier.regions) {
        if (!(mine.is_write || its.is_write) || !overlap(mine, its)) continue;
        report_missing_sync(task, operation, mine, earlier, its);
        return;
      }
    }
  }
}

}  // namespace

bool overlap(const Region& a, const Region& b) {
  if (a.bytes <= 0 || b.bytes <= 0) return false;
  const Span first = span_of(a), second = span_of(b);
  if (first.high <= second.low || second.high <= first.low) return false;
  if (is_solid(a)) return is_solid(b) || meets(b, first.low, first.high);
  if (is_solid(b)) return meets(a, second.low, second.high);
  bool found = false;
  each_segment(a, [&](const char* start, std::int64_t bytes) { found = found || meets(b, start, start + bytes); });
  return found;
}

void issue(Task& task, Operation operation) {
  const bool is_compute = operation.pipe == Pipe::kCompute;
  report_conflicts(task, operation, !operation.is_async && !is_compute);
  if (!operation.is_async && !is_compute) {
    sync_pipes(task, bit(Pipe::kCompute) | bit(operation.pipe));
    operation.work();
    return;
  }
  task.pipes.pending.push_back(std::move(operation));
  forget_repeated(task.pipes.pending);
  let_pipes_run(task);
}

void sync_pipes(Task& task, unsigned pipes) {
  // Pipes that are emptied together are emptied in an order drawn from the seed.
  std::deque<Operation>& pending = task.pipes.pending;
  if (pending.empty()) return;
  const unsigned first = static_cast<unsigned>(next_random(task.pipes.random) % 3);
  for (unsigned turn = 0; turn < 3; ++turn) {
    const unsigned pipe = 1 + (first + turn) % 3;
    if ((pipes & (1U << pipe)) == 0) continue;
    for (Operation& operation : pending) {
      if (static_cast<unsigned>(operation.pipe) == pipe) carry_out(operation);
    }
  }
  std::erase_if(pending, [&](const Operation& operation) { return (pipes & bit(operation.pipe)) != 0; });
}

void before_scalar(Task& task, const Region& region, const void* place) {
  if (task.pipes.pending.empty()) return;
  Operation access{Pipe::kScalar, false, region.is_write ? "a scalar store" : "a scalar load", place, {region}, nullptr, false};
  report_conflicts(task, access, true);
  for (const Operation& earlier : task.pipes.pending) {
    if (earlier.pipe != Pipe::kCompute) continue;
    for (const Region& its : earlier.regions) {
      if (!overlap(region, its)) continue;
      sync_pipes(task, bit(Pipe::kCompute));
      return;
    }
  }
}

void finish_pipes(Task& task) {
  for (const Operation& operation : task.pipes.pending) {
    if (operation.is_async) report_unwaited(task, operation);
  }
  sync_pipes(task, kAllPipes);
}

}  // namespace starbridge::emulate::bang
