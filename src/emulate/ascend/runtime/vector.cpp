// Vector instructions by element.
#include <algorithm>
#include <cstring>

#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

bool is_comparison(int op) { return op >= SB_LT && op <= SB_NE; }

int bytes_of(int type) { return kTypeBytes[type]; }

struct Plan {
  Shape shape;
  Layout dst, src[3];
  int sources = 0;
};

Plan plan_of(Task& task, const sb_vec& call, const void* place) {
  Plan plan;
  int widest = is_comparison(call.op) ? 1 : bytes_of(call.to_type);
  for (int i = 0; i < call.src_count; ++i) widest = std::max(widest, bytes_of(call.src_type[i]));
  plan.shape = shape_of(task, call.name, call.form, call.count, call.mask, call.repeat, call.is_sliced != 0, widest, place);
  plan.dst = {static_cast<const char*>(call.dst), bytes_of(call.to_type), call.dst_blk, call.dst_rep};
  plan.sources = call.src_count;
  for (int i = 0; i < call.src_count; ++i) plan.src[i] = {static_cast<const char*>(call.src[i]), bytes_of(call.src_type[i]), call.src_blk[i], call.src_rep[i]};
  return plan;
}

LoopCall loop_of(const sb_vec& call) {
  LoopCall loop;
  loop.op = call.op;
  loop.type = call.type;
  loop.to_type = call.to_type;
  loop.rounding = call.rounding;
  loop.src_count = call.src_count;
  loop.has_value = call.has_value != 0;
  loop.reads_dst = call.reads_dst != 0;
  loop.value = call.value;
  std::copy_n(call.src_type, 3, loop.src_type);
  return loop;
}

// A repeat with holes or strides: its lanes side by side, and back.
void carry_out_slices(LoopCall& loop, const Plan& plan) {
  alignas(32) char from[3][1024], to[1024];
  for (int repeat = 0; repeat < plan.shape.repeats; ++repeat) {
    loop.n = plan.shape.lanes;
    for (int i = 0; i < plan.sources; ++i) {
      const Layout& layout = plan.src[i];
      for (int lane = 0; lane < plan.shape.lanes; ++lane) {
        if (plan.shape.active(repeat, lane))
          std::memcpy(from[i] + lane * layout.bytes, layout.at(repeat, lane), static_cast<std::size_t>(layout.bytes));
        else
          std::memset(from[i] + lane * layout.bytes, 0, static_cast<std::size_t>(layout.bytes));
      }
      loop.src[i] = from[i];
    }
    if (loop.reads_dst) {
      for (int lane = 0; lane < plan.shape.lanes; ++lane) {
        if (plan.shape.active(repeat, lane)) std::memcpy(to + lane * plan.dst.bytes, plan.dst.at(repeat, lane), static_cast<std::size_t>(plan.dst.bytes));
      }
    }
    loop.dst = to;
    loops().apply(loop);
    for (int lane = 0; lane < plan.shape.lanes; ++lane) {
      if (plan.shape.active(repeat, lane)) std::memcpy(const_cast<char*>(plan.dst.at(repeat, lane)), to + lane * plan.dst.bytes, static_cast<std::size_t>(plan.dst.bytes));
    }
  }
}

// Bits of each repeat follow those of the one before.
void carry_out_comparison(LoopCall& loop, const Plan& plan, Task& task, char* dst) {
  alignas(32) char from[3][1024];
  unsigned char bits[16] = {};
  for (int repeat = 0; repeat < plan.shape.repeats; ++repeat) {
    loop.n = plan.shape.lanes;
    for (int i = 0; i < plan.sources; ++i) {
      for (int lane = 0; lane < plan.shape.lanes; ++lane)
        std::memcpy(from[i] + lane * plan.src[i].bytes, plan.src[i].at(repeat, lane), static_cast<std::size_t>(plan.src[i].bytes));
      loop.src[i] = from[i];
    }
    loop.dst = bits;
    loops().apply(loop);
    if (dst == nullptr)
      std::memcpy(task.compare_mask, bits, 16);
    else
      std::memcpy(dst + static_cast<std::int64_t>(repeat) * plan.shape.lanes / 8, bits, static_cast<std::size_t>(plan.shape.lanes / 8));
  }
}

void carry_out(const sb_vec& call, const Plan& plan, Task& task) {
  LoopCall loop = loop_of(call);
  const Shape& shape = plan.shape;
  const bool compares = is_comparison(call.op);
  bool is_run = shape.is_run;
  std::int64_t n = shape.count;
  if (!is_run && !compares && shape.is_full() && (plan.dst.is_run(shape))) {
    is_run = true;
    for (int i = 0; i < plan.sources; ++i) is_run = is_run && plan.src[i].is_run(shape);
    n = static_cast<std::int64_t>(shape.repeats) * shape.lanes;
  }
  if (is_run) {
    loop.n = n;
    loop.dst = call.dst;
    std::copy_n(call.src, 3, loop.src);
    loops().apply(loop);
  } else if (compares) {
    carry_out_comparison(loop, plan, task, static_cast<char*>(call.dst));
  } else {
    carry_out_slices(loop, plan);
  }
}

// Exactly the same place is allowed; a shift is not. Conversions that widen may not overlap at all.
void check_overlap(const sb_vec& call, const Plan& plan, const void* place) {
  if (!plan.shape.is_run) return;
  for (int i = 0; i < plan.sources; ++i) {
    const char *a = plan.dst.start, *b = plan.src[i].start;
    const std::int64_t a_bytes = plan.shape.count * plan.dst.bytes, b_bytes = plan.shape.count * plan.src[i].bytes;
    if (a >= b + b_bytes || b >= a + a_bytes || (a == b && plan.dst.bytes <= plan.src[i].bytes)) continue;
    report_at("operand-overlap", place, std::string(call.name) + ": dst lies over a part of a source; only the same place is allowed",
              std::string(call.name) + "：目的与源部分重叠，只允许地址完全相同");
  }
}

bool is_there(const sb_vec& call) {
  LoopCall loop = loop_of(call);
  loop.n = 0;
  return loops().apply(loop);
}

// What is not known of a source is not known of the result.
void pass_poison(const Plan& plan, const sb_vec& call) {
  if (is_comparison(call.op) || !plan.shape.is_run) return;
  for (std::int64_t i = 0; i < plan.shape.count; ++i) {
    for (int k = 0; k < plan.sources; ++k) {
      if (first_poisoned(plan.src[k].start + i * plan.src[k].bytes, static_cast<std::size_t>(plan.src[k].bytes)) != nullptr)
        set_poison(plan.dst.start + i * plan.dst.bytes, static_cast<std::size_t>(plan.dst.bytes), true);
    }
  }
}

bool any_poison(const Operation& operation) {
  for (const Segment& segment : operation.segments) {
    if (!segment.is_write && first_poisoned(segment.start, static_cast<std::size_t>(segment.bytes)) != nullptr) return true;
  }
  return false;
}

}  // namespace

extern "C" void __sb_asc_vector(const sb_vec* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const sb_vec call = *given;
  const Plan plan = plan_of(task, call, place);
  if (!settings().is_check) {
    if (!is_there(call)) refuse(call.name, "is not there for these types", "不支持这些类型", place);
    carry_out(call, plan, task);
    return;
  }
  if (!is_there(call)) refuse(call.name, "is not there for these types", "不支持这些类型", place);
  Operation operation{SB_PIPE_V, call.name, place, false, {}, nullptr};
  for (int i = 0; i < plan.sources; ++i) add_segments(operation.segments, plan.src[i], plan.shape, false);
  if (is_comparison(call.op)) {
    const std::int64_t bits = plan.shape.is_run ? plan.shape.count : static_cast<std::int64_t>(plan.shape.repeats) * plan.shape.lanes;
    if (plan.shape.is_run && plan.shape.count * plan.src[0].bytes % 256 != 0)
      report_at("length-alignment", place, std::string(call.name) + ": count * size must be a multiple of 256 bytes, it is " + std::to_string(plan.shape.count * plan.src[0].bytes),
                std::string(call.name) + "：元素个数乘以大小必须是 256 字节的整数倍，实际为 " + std::to_string(plan.shape.count * plan.src[0].bytes));
    if (call.dst != nullptr) operation.segments.push_back({static_cast<const char*>(call.dst), (bits + 7) / 8, true});
  } else {
    add_segments(operation.segments, plan.dst, plan.shape, true);
    if (call.reads_dst != 0) add_segments(operation.segments, plan.dst, plan.shape, false);
    check_overlap(call, plan, place);
  }
  if (!check_vector(task, operation)) return;
  const bool is_poisoned = any_poison(operation);
  mark_written(operation);
  if (is_poisoned) pass_poison(plan, call);
  Task* running = &task;
  operation.work = [call, plan, running] { carry_out(call, plan, *running); };
  issue(task, std::move(operation));
}

extern "C" void __sb_asc_set_mask(sb_word high, sb_word low) {
  current_task()->mask[0] = low;
  current_task()->mask[1] = high;
}
extern "C" void __sb_asc_mask_mode(int counts) { current_task()->counts_mask = counts != 0; }
// Between UB and the register of comparison bits: instructions of the vector pipe like any other, so what runs before and after keeps its
// place.
static void move_compare_mask(const char* name, void* bits, bool is_write, const void* place) {
  constexpr std::int64_t kBytes = 16;
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(bits), kBytes, is_write}}, nullptr};
  operation.work = [bits, is_write, mask = task.compare_mask] {
    is_write ? std::memcpy(bits, mask, kBytes) : std::memcpy(mask, bits, kBytes);
  };
  issue_vector(task, std::move(operation));
}

extern "C" void __sb_asc_set_compare_mask(const void* bits) {
  move_compare_mask("SetCmpMask", const_cast<void*>(bits), false, __builtin_return_address(0));
}
extern "C" void __sb_asc_get_compare_mask(void* bits) { move_compare_mask("GetCmpMask", bits, true, __builtin_return_address(0)); }
