// Clock: where time comes from. Production code takes a Clock&; tests and the simulator move a ManualClock by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace starbridge::base {

// Milliseconds since 1970-01-01T00:00:00Z.
using TimeMs = std::int64_t;
// A length of time in milliseconds.
using DurationMs = std::int64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimeMs now_ms() const override;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimeMs start_ms) : now_ms_(start_ms) {}
  TimeMs now_ms() const override { return now_ms_; }
  void advance_ms(DurationMs duration_ms) { now_ms_ += duration_ms; }

 private:
  TimeMs now_ms_;
};

// "2026-12-01T09:30:00.250Z"
std::string format_time(TimeMs time_ms);
// "1 h 02 min 03 s", "2.5 s", "120 ms"
std::string format_duration(DurationMs duration_ms);
// RFC 3339 in UTC ("Z") or with an offset; a date alone is midnight UTC. Error: base.wrong_field.
Result<TimeMs> parse_time(std::string_view text);

}  // namespace starbridge::base
