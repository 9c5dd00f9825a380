// CoreClock: the modelled time of one core. Its pipes keep their own order; the scalar unit hands work over and goes on, until it
// waits. Nothing here is a measurement: the costs are data (costs.def). One thread per clock.
#pragma once

#include <array>
#include <cstdint>

namespace starbridge::emulate {

struct Costs {
#define SB_COST(name) double name = 0;
#include "emulate/common/costs.def"
#undef SB_COST
};
// From SB_EMULATE_COSTS ("name=value,name=value"), read once.
const Costs& costs();

enum class TimedPipe : unsigned { kScalar, kVector, kMatrix, kIo, kMove };
constexpr unsigned kTimedPipes = 5;
constexpr unsigned timed_bit(TimedPipe pipe) { return 1U << static_cast<unsigned>(pipe); }
constexpr unsigned kAllTimedPipes = (1U << kTimedPipes) - 1;

class CoreClock {
 public:
  // The scalar unit works.
  void spend(double cycles) {
    now_ += cycles;
    busy_[0] += cycles;
  }
  // `pipe` is taken for `occupancy`; what it gives is there `latency` after that.
  void start(TimedPipe pipe, double occupancy, double latency);
  // The scalar unit waits until the pipes of the mask gave what they were asked for.
  void wait(unsigned pipes);
  // Other cores were later.
  void wait_until(double cycles) {
    if (cycles > now_) now_ = cycles;
  }
  double now() const { return now_; }
  double busy(unsigned pipe) const { return busy_[pipe]; }

 private:
  double now_ = 0;
  std::array<double, kTimedPipes> free_{}, done_{}, busy_{};
};

}  // namespace starbridge::emulate
