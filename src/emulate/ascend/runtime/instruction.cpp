#include "emulate/ascend/runtime/instruction.h"

#include <algorithm>
#include <cstdio>

#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

const Loops& loops() {
#if defined(__x86_64__)
  static const bool is_new = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#else
  static const bool is_new = false;
#endif
  return is_new ? v3::kLoops : base::kLoops;
}

namespace {

void continuous(std::uint64_t* bits, std::int64_t lanes) {
  bits[0] = lanes >= 64 ? ~0ULL : lanes <= 0 ? 0 : (1ULL << lanes) - 1;
  bits[1] = lanes >= 128 ? ~0ULL : lanes <= 64 ? 0 : (1ULL << (lanes - 64)) - 1;
}

}  // namespace

bool Shape::is_full() const {
  std::uint64_t full[2];
  continuous(full, lanes);
  return (mask[0] & full[0]) == full[0] && (mask[1] & full[1]) == full[1] && (last_mask[0] & full[0]) == full[0] && (last_mask[1] & full[1]) == full[1];
}

bool Layout::is_run(const Shape& shape) const {
  const int blocks = shape.lanes * bytes / 32;
  if (blocks == 0) return false;
  return (block_stride == 1 || blocks == 1) && (repeat_stride == blocks || shape.repeats == 1);
}

Shape shape_of(Task& task, const char* name, int form, std::int64_t count, const sb_word* mask, int repeat, bool is_sliced, int bytes, const void* place) {
  Shape shape;
  shape.lanes = std::min(256 / bytes, 128);
  if (form == SB_BY_COUNT && !is_sliced) {
    shape.count = count;
    if (settings().is_check) {
      if (count < 0) report_at("argument-range", place, std::string(name) + ": the count is negative", std::string(name) + "：元素个数为负");
      if (count == 0) report_at("empty-instruction", place, std::string(name) + " of no element", std::string(name) + " 的元素个数为 0");
    }
    shape.count = std::max<std::int64_t>(count, 0);
    return shape;
  }
  shape.is_run = false;
  shape.repeats = repeat;
  if (task.counts_mask) {
    // Counter mode: the mask says how many elements there are in all, repeats follow from it.
    const std::int64_t total = form == SB_BY_STATE ? static_cast<std::int64_t>(task.mask[0]) : count >= 0 ? count : static_cast<std::int64_t>(mask[0]);
    shape.repeats = static_cast<int>((total + shape.lanes - 1) / shape.lanes);
    continuous(shape.mask, shape.lanes);
    continuous(shape.last_mask, total - static_cast<std::int64_t>(shape.repeats - 1) * shape.lanes);
    return shape;
  }
  if (form == SB_BY_STATE) {
    std::copy_n(task.mask, 2, shape.mask);
  } else if (count >= 0) {
    if (settings().is_check) check_range(name, "the mask", count, 1, shape.lanes, place);
    continuous(shape.mask, std::min<std::int64_t>(count, shape.lanes));
  } else {
    std::copy_n(mask, 2, shape.mask);
    if (settings().is_check && mask[0] == 0 && mask[1] == 0)
      report_at("argument-range", place, std::string(name) + ": no bit of the mask is set", std::string(name) + "：掩码没有任何有效位");
  }
  std::copy_n(shape.mask, 2, shape.last_mask);
  if (settings().is_check) {
    check_range(name, "repeatTime", repeat, 0, 255, place);
    if (repeat == 0) report_at("empty-instruction", place, std::string(name) + " with repeatTime 0 does nothing", std::string(name) + " 的 repeatTime 为 0，不做任何事");
  }
  return shape;
}

void add_segments(std::vector<Segment>& to, const Layout& layout, const Shape& shape, bool is_write) {
  if (shape.is_run) {
    if (shape.count > 0) to.push_back({layout.start, shape.count * layout.bytes, is_write});
    return;
  }
  const int per_block = std::max(1, 32 / layout.bytes);
  // Pieces of one operand that touch become one; those of another operand may touch as well, in the buffer beside.
  const std::size_t own = to.size();
  for (int repeat = 0; repeat < shape.repeats; ++repeat) {
    for (int lane = 0; lane < shape.lanes; lane += per_block) {
      int first = -1, last = -1;
      for (int i = lane; i < std::min(lane + per_block, shape.lanes); ++i) {
        if (!shape.active(repeat, i)) continue;
        if (first < 0) first = i;
        last = i;
      }
      if (first < 0) continue;
      const char* start = layout.at(repeat, first);
      const std::int64_t bytes = static_cast<std::int64_t>(last - first + 1) * layout.bytes;
      if (to.size() > own && to.back().start + to.back().bytes == start)
        to.back().bytes += bytes;
      else
        to.push_back({start, bytes, is_write});
    }
  }
}

bool check_vector(Task& task, const Operation& operation, int align) {
  if (!settings().is_check) return true;
  const char* last = nullptr;
  for (const Segment& segment : operation.segments) {
    // Of a strided operand each segment lies in the same buffer or is wrong by itself; one alignment is enough.
    const bool is_first = last == nullptr || segment.is_write != operation.segments[static_cast<std::size_t>(&segment - operation.segments.data()) - 1].is_write;
    last = segment.start;
    if (!check_operand(task, operation.name, segment.is_write ? "dst" : "a source", segment, kUbOnly, is_first ? align : 1, operation.place)) return false;
  }
  return true;
}

void mark_written(const Operation& operation) {
  if (!settings().is_check) return;
  for (const Segment& segment : operation.segments) {
    if (segment.is_write && segment.bytes > 0) set_poison(segment.start, static_cast<std::size_t>(segment.bytes), false);
  }
}

void issue_vector(Task& task, Operation operation, int align) {
  if (!settings().is_check) {
    operation.work();
    return;
  }
  if (!check_vector(task, operation, align)) return;
  mark_written(operation);
  issue(task, std::move(operation));
}

void refuse(const char* name, const char* en, const char* zh, const void* place) {
  report_at("unsupported", place, std::string(name) + " " + en, std::string(name) + " " + zh);
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitRefused);
}

}  // namespace starbridge::emulate::ascend

extern "C" void __sb_asc_refuse(const char* name, const char* en, const char* zh) { starbridge::emulate::ascend::refuse(name, en, zh, __builtin_return_address(0)); }
