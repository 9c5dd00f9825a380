// Reductions. Sums are trees of neighbours, as the unit makes them: halves clamp at every step.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

// All values to the precision of `type`; halves stay finite.
void narrow_all(int type, std::vector<float>& values, std::vector<std::uint16_t>& bits) {
  if (type == SB_F32) return;
  const auto n = static_cast<std::int64_t>(values.size());
  if (type == SB_F16) {
    for (float& value : values) value = std::fabs(value) > 65504.0f ? std::copysign(65504.0f, value) : value;
  }
  bits.resize(values.size());
  loops().from_float(type, bits.data(), values.data(), n);
  loops().to_float(type, values.data(), bits.data(), n);
}

// Neighbours are added, then neighbours of the sums. Repeats hold a power of two, so that over several of them it is the same as first
// each repeat by itself and then their sums.
float tree_sum(int type, std::vector<float>& values) {
  if (values.empty()) return 0;
  std::vector<float> sums;
  std::vector<std::uint16_t> bits;
  while (values.size() > 1) {
    sums.resize((values.size() + 1) / 2);
    loops().add_pairs(sums.data(), values.data(), static_cast<std::int64_t>(values.size()));
    narrow_all(type, sums, bits);
    values.swap(sums);
  }
  return values[0];
}

struct Result {
  double value = 0;
  std::uint32_t index = 0;
};

double read_element(int type, const char* at) {
  float value = 0;
  if (is_floating(type)) {
    loops().to_float(type, &value, at, 1);
    return value;
  }
  if (type == SB_S32) {
    std::int32_t whole;
    std::memcpy(&whole, at, 4);
    return whole;
  }
  if (type == SB_S16) {
    std::int16_t whole;
    std::memcpy(&whole, at, 2);
    return whole;
  }
  std::int64_t whole;
  std::memcpy(&whole, at, 8);
  return static_cast<double>(whole);
}

void write_element(int type, char* at, double value) {
  if (is_floating(type)) {
    const auto narrow_value = static_cast<float>(value);
    loops().from_float(type, at, &narrow_value, 1);
  } else {
    const auto whole = static_cast<std::int64_t>(value);
    std::memcpy(at, &whole, static_cast<std::size_t>(kTypeBytes[type]));
  }
}

Result reduce(int what, int type, const std::vector<const char*>& elements) {
  Result result;
  if (what == SB_REDUCE_SUM) {
    std::vector<float> values;
    values.reserve(elements.size());
    if (!is_floating(type)) {
      std::int64_t sum = 0;
      for (const char* at : elements) sum += static_cast<std::int64_t>(read_element(type, at));
      result.value = static_cast<double>(sum);
      return result;
    }
    for (const char* at : elements) values.push_back(static_cast<float>(read_element(type, at)));
    result.value = tree_sum(type, values);
    return result;
  }
  bool has_any = false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double value = read_element(type, elements[i]);
    // The first of equals stays.
    if (has_any && !(what == SB_REDUCE_MAX ? value > result.value : value < result.value)) continue;
    if (value != value && has_any) continue;
    result = {value, static_cast<std::uint32_t>(i)};
    has_any = true;
  }
  return result;
}

struct Work {
  sb_reduce call;
  Shape shape;
  Layout src;
  Task* task;
};

std::vector<const char*> lanes_of(const Work& work, int repeat, int first, int last) {
  std::vector<const char*> lanes;
  for (int lane = first; lane < last; ++lane) {
    if (work.shape.active(repeat, lane)) lanes.push_back(work.src.at(repeat, lane));
  }
  return lanes;
}

// The elements of the whole source, as floats.
std::vector<float> floats_of(const Work& work) {
  const sb_reduce& call = work.call;
  std::vector<float> values;
  if (work.shape.is_run) {
    values.resize(static_cast<std::size_t>(work.shape.count));
    loops().to_float(call.type, values.data(), work.src.start, work.shape.count);
    return values;
  }
  for (int repeat = 0; repeat < work.shape.repeats; ++repeat) {
    for (const char* lane : lanes_of(work, repeat, 0, work.shape.lanes)) values.push_back(static_cast<float>(read_element(call.type, lane)));
  }
  return values;
}

// The first of equals stays; NaN only where there is nothing else before it.
Result greatest_or_least(int what, const std::vector<float>& values) {
  Result result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (i == 0 || (what == SB_REDUCE_MAX ? value > result.value : value < result.value)) result = {value, static_cast<std::uint32_t>(i)};
  }
  return result;
}

void carry_out_whole(const Work& work) {
  const sb_reduce& call = work.call;
  const int size = kTypeBytes[call.type];
  auto* dst = static_cast<char*>(call.dst);
  Result result;
  if (is_floating(call.type)) {
    std::vector<float> values = floats_of(work);
    if (call.what == SB_REDUCE_SUM)
      result.value = tree_sum(call.type, values);
    else
      result = greatest_or_least(call.what, values);
  } else {
    std::vector<const char*> all;
    for (std::int64_t i = 0; work.shape.is_run && i < work.shape.count; ++i) all.push_back(work.src.start + i * size);
    for (int repeat = 0; !work.shape.is_run && repeat < work.shape.repeats; ++repeat) {
      for (const char* lane : lanes_of(work, repeat, 0, work.shape.lanes)) all.push_back(lane);
    }
    result = reduce(call.what, call.type, all);
  }
  write_element(call.type, dst, result.value);
  if (call.what != SB_REDUCE_SUM) {
    if (call.has_index != 0) std::memcpy(dst + size, &result.index, static_cast<std::size_t>(size));
    return;
  }
  if (!is_floating(call.type)) return;
  work.task->accumulated = 0;
  std::memcpy(&work.task->accumulated, dst, static_cast<std::size_t>(size));
}

void write_result(const sb_reduce& call, char* at, const Result& result) {
  const int size = kTypeBytes[call.type];
  const bool has_both = call.order == SB_VALUE_INDEX || call.order == SB_INDEX_VALUE;
  if (call.what == SB_REDUCE_SUM || call.order == SB_ONLY_VALUE) {
    write_element(call.type, at, result.value);
  } else if (call.order == SB_ONLY_INDEX) {
    std::memcpy(at, &result.index, 4);
  } else if (has_both) {
    const bool value_first = call.order == SB_VALUE_INDEX;
    write_element(call.type, at + (value_first ? 0 : size), result.value);
    std::memcpy(at + (value_first ? size : 0), &result.index, static_cast<std::size_t>(size));
  }
}

// Bytes from one result to the next, in units the interface counts in.
int result_bytes(const sb_reduce& call) {
  const int size = kTypeBytes[call.type];
  if (call.scope == SB_PER_REPEAT && call.what != SB_REDUCE_SUM) return call.order == SB_ONLY_INDEX ? 4 : call.order == SB_ONLY_VALUE ? size : 2 * size;
  return size;
}

void carry_out_parts(const Work& work) {
  const sb_reduce& call = work.call;
  const int size = kTypeBytes[call.type];
  auto* dst = static_cast<char*>(call.dst);
  for (int repeat = 0; repeat < work.shape.repeats; ++repeat) {
    if (call.scope == SB_PER_REPEAT) {
      const std::vector<const char*> lanes = lanes_of(work, repeat, 0, work.shape.lanes);
      write_result(call, dst + static_cast<std::int64_t>(repeat) * call.dst_rep * result_bytes(call), reduce(call.what, call.type, lanes));
      continue;
    }
    const int width = call.scope == SB_PER_BLOCK ? 32 / size : 2;
    const int per_repeat = work.shape.lanes / width;
    for (int part = 0; part < per_repeat; ++part) {
      const std::vector<const char*> lanes = lanes_of(work, repeat, part * width, (part + 1) * width);
      if (lanes.empty()) continue;
      write_element(call.type, dst + (static_cast<std::int64_t>(repeat) * call.dst_rep * per_repeat + part) * size, reduce(call.what, call.type, lanes).value);
    }
  }
}

void add_results(std::vector<Segment>& to, const Work& work) {
  const sb_reduce& call = work.call;
  const int size = kTypeBytes[call.type];
  const auto* dst = static_cast<const char*>(call.dst);
  if (call.scope == SB_WHOLE) {
    to.push_back({dst, call.has_index != 0 ? 2 * size : size, true});
    return;
  }
  const int per_repeat = call.scope == SB_PER_REPEAT ? 1 : call.scope == SB_PER_BLOCK ? 8 : work.shape.lanes / 2;
  for (int repeat = 0; repeat < work.shape.repeats; ++repeat)
    to.push_back({dst + static_cast<std::int64_t>(repeat) * call.dst_rep * (call.scope == SB_PER_REPEAT ? result_bytes(call) : per_repeat * size), call.scope == SB_PER_REPEAT ? result_bytes(call) : per_repeat * size, true});
}

}  // namespace

extern "C" void __sb_asc_reduce(const sb_reduce* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  Work work{*given, {}, {}, &task};
  const sb_reduce& call = work.call;
  const bool is_by_count = call.scope == SB_WHOLE && call.form == SB_BY_COUNT;
  work.shape = shape_of(task, call.name, call.form, call.count, call.mask, call.repeat, !is_by_count, kTypeBytes[call.type], place);
  work.src = {static_cast<const char*>(call.src), kTypeBytes[call.type], call.src_blk, call.src_rep};
  auto run = [work] {
    if (work.call.scope == SB_WHOLE)
      carry_out_whole(work);
    else
      carry_out_parts(work);
  };
  if (!settings().is_check) {
    run();
    return;
  }
  Operation operation{SB_PIPE_V, call.name, place, false, {}, run};
  add_segments(operation.segments, work.src, work.shape, false);
  std::vector<Segment> sources = operation.segments;
  add_results(operation.segments, work);
  for (const Segment& segment : sources) {
    if (!check_operand(task, call.name, "src", segment, kUbOnly, &segment == &sources[0] ? 32 : 1, place)) return;
    check_written(call.name, segment.start, segment.bytes, place);
  }
  for (std::size_t i = sources.size(); i < operation.segments.size(); ++i) {
    if (!check_operand(task, call.name, "dst", operation.segments[i], kUbOnly, i == sources.size() ? kTypeBytes[call.type] : 1, place)) return;
  }
  if (call.type == SB_F16 && call.has_index != 0 && call.count > 65536)
    report_at("argument-range", place, std::string(call.name) + ": an index of half reaches 65535 at most", std::string(call.name) + "：half 类型的索引最大为 65535");
  mark_written(operation);
  issue(task, std::move(operation));
}
