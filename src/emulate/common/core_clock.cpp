#include "emulate/common/core_clock.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace starbridge::emulate {

namespace {

Costs read_costs() {
  Costs result;
  const char* value = std::getenv("SB_EMULATE_COSTS");
  std::string_view text = value == nullptr ? "" : value;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    const double number = std::strtod(pair.data() + equals + 1, nullptr);
#define SB_COST(cost) \
  if (name == #cost) result.cost = number;
#include "emulate/common/costs.def"
#undef SB_COST
  }
  return result;
}

}  // namespace

const Costs& costs() {
  static const Costs table = read_costs();
  return table;
}

void CoreClock::start(TimedPipe pipe, double occupancy, double latency) {
  spend(costs().issue);
  const auto index = static_cast<unsigned>(pipe);
  free_[index] = std::max(now_, free_[index]) + occupancy;
  done_[index] = free_[index] + latency;
  busy_[index] += occupancy;
}

void CoreClock::wait(unsigned pipes) {
  for (unsigned pipe = 1; pipe < kTimedPipes; ++pipe) {
    if ((pipes & (1U << pipe)) != 0) now_ = std::max(now_, done_[pipe]);
  }
}

}  // namespace starbridge::emulate
