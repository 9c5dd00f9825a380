#include "emulate/bang/runtime/timing.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/task.h"
#include "emulate/common/finding_log.h"

namespace starbridge::emulate::bang {

namespace {

constexpr std::size_t kPlacesMax = 16;  // of a launch, the costliest

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// Functions run through tables or series, divisions through several steps.
double factor_of(std::string_view name) {
  if (has_word(name, {"exp", "pow2", "log", "sin", "cos", "tanh", "sqrt", "sigmoid", "gelu", "softplus", "taylor"}))
    return costs().vector_function_factor;
  if (has_word(name, {"div", "recip", "rem"})) return costs().vector_division_factor;
  return 1;
}

unsigned timed_pipes_of(unsigned pipes) {
  unsigned result = 0;
  if ((pipes & bit(Pipe::kCompute)) != 0) result |= timed_bit(TimedPipe::kVector) | timed_bit(TimedPipe::kMatrix);
  if ((pipes & bit(Pipe::kIo)) != 0) result |= timed_bit(TimedPipe::kIo);
  if ((pipes & bit(Pipe::kMove)) != 0) result |= timed_bit(TimedPipe::kMove);
  return result;
}

// Lines a region makes the memory move; a line written in part is read before.
double lines_of(const Region& region, double line, std::uint64_t& segments) {
  double lines = 0;
  each_segment(region, [&](const char* start, std::int64_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(start), last = first + static_cast<std::uintptr_t>(bytes);
    const auto size = static_cast<std::uintptr_t>(line);
    lines += static_cast<double>((last - 1) / size - first / size + 1);
    if (region.is_write && (first % size != 0 || last % size != 0))
      lines += first % size != 0 && last % size != 0 && bytes > 64 ? 2 : 1;
    ++segments;
  });
  return lines;
}

std::int64_t bytes_of(const Region& region) { return region.bytes * region.count0 * region.count1; }

// A core's time on its io pipe for what lies in the chip's memory.
double memory_cycles(LaunchTiming& timing, std::initializer_list<Operand> operands, std::uint64_t& segments) {
  double moved = 0;
  for (const Operand& operand : operands) {
    const Region& region = operand.region;
    if (region.bytes <= 0) continue;
    const Space space = space_of(region.start);
    if (space != Space::kGdram && space != Space::kLdram) {
      segments += static_cast<std::uint64_t>(region.count0 * region.count1 > 1 ? region.count0 * region.count1 : 0);
      continue;
    }
    std::uint64_t pieces = 0;
    const double bytes = lines_of(region, costs().memory_line_bytes, pieces) * costs().memory_line_bytes;
    if (pieces > 1) segments += pieces;
    moved += bytes;
    (region.is_write ? timing.counts.bytes_written : timing.counts.bytes_read) += static_cast<std::uint64_t>(bytes);
    if (space != Space::kGdram) continue;
    each_segment(region, [&](const char* start, std::int64_t length) {
      timing.footprint.note(reinterpret_cast<std::uintptr_t>(start), static_cast<std::uint64_t>(length), region.is_write);
    });
  }
  return moved / timing.memory_bytes_per_cycle + static_cast<double>(segments) * costs().copy_segment;
}

// Where a place lies in its library, for the command's symbolizer.
std::string place_json(const void* place) {
  Dl_info info;
  if (place == nullptr || dladdr(place, &info) == 0 || info.dli_fname == nullptr) return "\"module\":\"\",\"offset\":0";
  return "\"module\":" + quoted(info.dli_fname) +
         ",\"offset\":" + std::to_string(static_cast<const char*>(place) - static_cast<const char*>(info.dli_fbase) - 1);
}

std::FILE* times_file() {
  static std::FILE* const file = std::fopen(settings().times_path.c_str(), "wb");
  return file;
}

}  // namespace

LaunchTiming::LaunchTiming(int tasks_at_once) : cores_(static_cast<std::size_t>(std::max(1.0, costs().cores))) {
  const double busy_cores = std::clamp(static_cast<double>(tasks_at_once), 1.0, std::max(1.0, costs().cores));
  memory_bytes_per_cycle =
      std::min(costs().core_memory_bytes_per_cycle, costs().memory_gbps * 1000 / costs().clock_mhz / busy_cores);
}

void LaunchTiming::add(Task& task) {
  if (task.is_memory_core) return;
  CoreClock& clock = task.time;
  clock.wait(kAllTimedPipes);
  TimedCore& core =
      *std::min_element(cores_.begin(), cores_.end(), [](const TimedCore& a, const TimedCore& b) { return a.now < b.now; });
  core.now += clock.now();
  for (unsigned pipe = 0; pipe < kTimedPipes; ++pipe) core.busy[pipe] += clock.busy(pipe);
}

void LaunchTiming::write(const Launch& launch) const {
  static const char* const names[] = {"scalar", "vector", "matrix", "io", "move"};
  std::FILE* file = times_file();
  if (file == nullptr) return;
  const TimedCore& slowest =
      *std::max_element(cores_.begin(), cores_.end(), [](const TimedCore& a, const TimedCore& b) { return a.now < b.now; });
  double sum = 0;
  for (const TimedCore& core : cores_) sum += core.now;
  std::string text = "{\"kernel\":" + quoted(launch.kernel->readable) + ",\"dim\":[" + std::to_string(launch.dim.x) + "," +
                     std::to_string(launch.dim.y) + "," + std::to_string(launch.dim.z) +
                     "],\"union\":" + std::to_string(launch.union_clusters) + ",\"cycles\":" + std::to_string(slowest.now) +
                     ",\"cycles_mean\":" + std::to_string(sum / static_cast<double>(cores_.size())) + ",\"busy\":{";
  for (unsigned pipe = 0; pipe < kTimedPipes; ++pipe)
    text += std::string(pipe == 0 ? "" : ",") + "\"" + names[pipe] + "\":" + std::to_string(slowest.busy[pipe]);
  text += "}";
  auto number = [&](const char* name, std::uint64_t value) { text += ",\"" + std::string(name) + "\":" + std::to_string(value); };
  number("vector_operations", counts.vector_operations);
  number("vector_bytes", counts.vector_bytes);
  number("copies", counts.copies);
  number("segments", counts.segments);
  number("bytes_read", counts.bytes_read);
  number("bytes_written", counts.bytes_written);
  number("unique_bytes_read", footprint.bytes_read());
  number("unique_bytes_written", footprint.bytes_written());
  number("scalar_operations", counts.scalar_operations);
  number("near_accesses", counts.near_accesses);
  number("far_accesses", counts.far_accesses);
  number("atomics", counts.atomics);
  number("syncs", counts.syncs);
  number("work", counts.work);
  number("work_functions", counts.work_functions);
  std::vector<std::pair<const void*, TimedPlace>> top(places.begin(), places.end());
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) {
    return a.second.cycles != b.second.cycles ? a.second.cycles > b.second.cycles : a.first < b.first;
  });
  if (top.size() > kPlacesMax) top.resize(kPlacesMax);
  text += ",\"places\":[";
  for (std::size_t i = 0; i < top.size(); ++i)
    text += std::string(i == 0 ? "" : ",") + "{" + place_json(top[i].first) + ",\"name\":" + quoted(top[i].second.name) +
            ",\"pipe\":\"" + names[top[i].second.pipe] + "\",\"count\":" + std::to_string(top[i].second.count) +
            ",\"cycles\":" + std::to_string(top[i].second.cycles) + "}";
  text += "]}\n";
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);  // the program may end without a word
}

cnrtRet_t run_timed(Launch& launch) {
  if (!settings().is_timed) return run_launch(launch);
  LaunchTiming timing(
      static_cast<int>(std::min<std::uint64_t>(std::uint64_t{launch.dim.x} * launch.dim.y * launch.dim.z, 1U << 20)));
  launch.timing = &timing;
  const cnrtRet_t result = run_launch(launch);
  launch.timing = nullptr;
  if (result == cnrtSuccess) timing.write(launch);
  return result;
}

void time_operation(const Builtin& builtin, std::initializer_list<Operand> operands) {
  Task* task = current_task();
  if (task == nullptr || task->launch->timing == nullptr) return;
  LaunchTiming& timing = *task->launch->timing;
  CoreClock& clock = task->time;
  TimedPipe pipe = TimedPipe::kVector;
  double occupancy = 0, latency = 0;
  std::int64_t longest = 0;
  double product = 1;
  bool is_matrix = false;
  for (const Operand& operand : operands) {
    longest = std::max(longest, bytes_of(operand.region));
    is_matrix = is_matrix || (operand.region.bytes > 0 && operand.spaces == kWram && !operand.region.is_write);
  }
  if (builtin.pipe == Pipe::kCompute && is_matrix) {
    // Sides of m*n, m*k and k*n elements: the root of their product is m*k*n.
    pipe = TimedPipe::kMatrix;
    int sides = 0;
    for (const Operand& operand : operands) {
      if (++sides <= 3) product *= static_cast<double>(bytes_of(operand.region)) / 4;
    }
    occupancy = costs().vector_start + std::sqrt(product) / costs().matrix_macs_per_cycle;
  } else if (builtin.pipe == Pipe::kCompute) {
    occupancy =
        costs().vector_start + std::ceil(static_cast<double>(longest) / costs().vector_bytes_per_cycle) * factor_of(builtin.name);
    ++timing.counts.vector_operations;
    timing.counts.vector_bytes += static_cast<std::uint64_t>(longest);
  } else if (builtin.pipe == Pipe::kIo) {
    pipe = TimedPipe::kIo;
    std::uint64_t segments = 0;
    occupancy = memory_cycles(timing, operands, segments);
    latency = costs().memory_latency;
    if (builtin.is_atomic) {
      occupancy += costs().atomic;
      ++timing.counts.atomics;
    }
    ++timing.counts.copies;
    timing.counts.segments += segments;
  } else {
    pipe = TimedPipe::kMove;
    occupancy = costs().vector_start + static_cast<double>(longest) / costs().move_bytes_per_cycle;
  }
  const double before = clock.now();
  const bool blocks = !builtin.is_async && builtin.pipe != Pipe::kCompute;
  if (blocks) clock.wait(timed_bit(TimedPipe::kVector) | timed_bit(TimedPipe::kMatrix) | timed_bit(pipe));
  clock.start(pipe, occupancy, latency);
  if (blocks) clock.wait(timed_bit(pipe));
  TimedPlace& place = timing.places[builtin.place];
  place.name = builtin.name;
  place.pipe = static_cast<unsigned>(pipe);
  ++place.count;
  place.cycles += blocks ? clock.now() - before : occupancy;
}

void time_sync(unsigned pipes) {
  Task* task = current_task();
  if (task == nullptr || task->launch->timing == nullptr) return;
  task->time.wait(timed_pipes_of(pipes));
  task->time.spend(costs().sync);
  ++task->launch->timing->counts.syncs;
}

void time_arrival(Barrier& barrier) {
  Task* task = current_task();
  if (task->launch->timing == nullptr) return;
  task->time.spend(costs().barrier);
  barrier.time = std::max(barrier.time, task->time.now());
}

}  // namespace starbridge::emulate::bang

using namespace starbridge::emulate;
using namespace starbridge::emulate::bang;

// Told by the compiler's pass.
extern "C" {

void __sb_spend(std::uint32_t plain, std::uint32_t divisions, std::uint32_t functions) {
  Task* task = current_task();
  if (task == nullptr || task->launch->timing == nullptr) return;
  task->time.spend(plain * costs().scalar_operation + divisions * costs().scalar_division + functions * costs().scalar_function);
  task->launch->timing->counts.scalar_operations += plain + divisions + functions;
}

void __sb_touch(const void* address, std::uint32_t bytes, std::uint32_t is_write) {
  Task* task = current_task();
  if (task == nullptr || task->launch->timing == nullptr) return;
  LaunchTiming& timing = *task->launch->timing;
  const Space space = space_of(address);
  if (space == Space::kHost) return;  // registers, variables the compiler keeps on the stack
  if (space != Space::kGdram && space != Space::kLdram) {
    // What a vector operation still writes is waited for.
    task->time.wait(timed_bit(TimedPipe::kVector) | timed_bit(TimedPipe::kMatrix));
    const double words = std::max(1.0, bytes / 8.0);
    task->time.spend(words * costs().near_access);
    ++timing.counts.near_accesses;
    return;
  }
  const double cost = is_write != 0 ? costs().far_store : costs().far_load;
  task->time.spend(cost);
  ++timing.counts.far_accesses;
  (is_write != 0 ? timing.counts.bytes_written : timing.counts.bytes_read) += Footprint::kLineBytes;
  if (space == Space::kGdram) timing.footprint.note(reinterpret_cast<std::uintptr_t>(address), bytes, is_write != 0);
  TimedPlace& place = timing.places[SB_HERE];
  place.name = is_write != 0 ? "scalar store" : "scalar load";
  ++place.count;
  place.cycles += cost;
}

void __sb_bang_work(std::uint32_t plain, std::uint32_t functions) {
  Task* task = current_task();
  if (task == nullptr || task->launch->timing == nullptr) return;
  task->launch->timing->counts.work += plain;
  task->launch->timing->counts.work_functions += functions;
}
}
