#include "kernel/cost/times.h"

#include <algorithm>

#include "base/json.h"

namespace starbridge::kernel::cost {

using base::Json;

namespace {

constexpr std::size_t kPlacesMax = 16;

// "void saxpy<float>(float*, int)" is called saxpy<float>.
std::string short_name(const std::string& readable) {
  int depth = 0;
  std::size_t end = readable.size(), start = 0;
  for (std::size_t i = 0; i < readable.size(); ++i) {
    if (readable[i] == '<') ++depth;
    if (readable[i] == '>') --depth;
    if (depth == 0 && readable[i] == ' ') start = i + 1;
    if (depth == 0 && readable[i] == '(') {
      end = i;
      break;
    }
  }
  return readable.substr(start, end - start);
}

void add_places(KernelTimes& to, const Json& places, double us_per_cycle) {
  for (const Json& place : places) {
    HotPlace one{place.value("module", ""), place.value("offset", std::uint64_t{0}), place.value("name", ""),
                 place.value("pipe", ""),   place.value("count", std::uint64_t{0}),  place.value("cycles", 0.0) * us_per_cycle};
    auto found = std::find_if(to.places.begin(), to.places.end(),
                              [&](const HotPlace& each) { return each.module == one.module && each.offset == one.offset; });
    if (found == to.places.end()) {
      to.places.push_back(one);
    } else {
      found->count += one.count;
      found->us += one.us;
    }
  }
}

}  // namespace

std::string_view KernelTimes::bottleneck() const {
  const auto busiest = std::max_element(busy_us.begin(), busy_us.end());
  return *busiest * 2 < us ? "wait" : kPipes[static_cast<std::size_t>(busiest - busy_us.begin())];
}

base::Result<std::vector<KernelTimes>> read_times(std::string_view text, const std::string& path, const ChipCosts& costs) {
  std::vector<KernelTimes> result;
  const double us_per_cycle = 1 / costs["clock_mhz"];
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    SB_TRY(Json launch, base::parse_json(text.substr(0, end), path));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string name = short_name(launch.value("kernel", ""));
    auto found = std::find_if(result.begin(), result.end(), [&](const KernelTimes& each) { return each.kernel == name; });
    if (found == result.end()) {
      result.emplace_back();
      found = result.end() - 1;
      found->kernel = name;
    }
    KernelTimes& times = *found;
    ++times.launches;
    times.us += launch.value("cycles", 0.0) * us_per_cycle;
    times.us_mean += launch.value("cycles_mean", 0.0) * us_per_cycle;
    times.launch_us += costs["launch_us"];
    for (std::size_t i = 0; i < kPipes.size(); ++i)
      times.busy_us[i] += launch["busy"].value(std::string(kPipes[i]), 0.0) * us_per_cycle;
    auto add = [&](std::uint64_t& to, const char* field) { to += launch.value(field, std::uint64_t{0}); };
    add(times.vector_operations, "vector_operations");
    add(times.vector_bytes, "vector_bytes");
    add(times.copies, "copies");
    add(times.segments, "segments");
    add(times.bytes_read, "bytes_read");
    add(times.bytes_written, "bytes_written");
    add(times.unique_bytes_read, "unique_bytes_read");
    add(times.unique_bytes_written, "unique_bytes_written");
    add(times.scalar_operations, "scalar_operations");
    add(times.near_accesses, "near_accesses");
    add(times.far_accesses, "far_accesses");
    add(times.atomics, "atomics");
    add(times.syncs, "syncs");
    add(times.work, "work");
    add(times.work_functions, "work_functions");
    if (launch.contains("places")) add_places(times, launch["places"], us_per_cycle);
  }
  for (KernelTimes& times : result) {
    std::stable_sort(times.places.begin(), times.places.end(), [](const HotPlace& a, const HotPlace& b) { return a.us > b.us; });
    if (times.places.size() > kPlacesMax) times.places.resize(kPlacesMax);
  }
  return result;
}

Bound bound_of(const KernelTimes& port, std::uint64_t work, std::uint64_t functions, const ChipCosts& costs) {
  Bound bound;
  const auto bytes = static_cast<double>(port.unique_bytes_read + port.unique_bytes_written);
  bound.memory_us = bytes / (costs["memory_gbps"] * 1000);
  const double passes = static_cast<double>(work) + static_cast<double>(functions) * costs["vector_function_factor"];
  bound.vector_us = passes * 4 / costs["vector_bytes_per_cycle"] / costs["cores"] / costs["clock_mhz"];
  return bound;
}

}  // namespace starbridge::kernel::cost
