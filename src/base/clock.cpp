#include "base/clock.h"

#include <chrono>
#include <cstdio>
#include <string>

namespace starbridge::base {

TimeMs SystemClock::now_ms() const {
  using std::chrono::duration_cast;
  return duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string format_time(TimeMs time_ms) {
  using namespace std::chrono;
  sys_time<milliseconds> instant{milliseconds{time_ms}};
  auto day = floor<days>(instant);
  year_month_day date{day};
  hh_mm_ss time{instant - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

std::string format_duration(DurationMs duration_ms) {
  if (duration_ms < 0) return "-" + format_duration(-duration_ms);
  if (duration_ms < 1000) return fmt::format("{} ms", duration_ms);
  if (duration_ms < 60'000) return fmt::format("{}.{} s", duration_ms / 1000, duration_ms % 1000 / 100);
  std::int64_t seconds = duration_ms / 1000;
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min {:02} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

Result<TimeMs> parse_time(std::string_view given) {
  std::string input(given);
  auto refuse = [&] {
    return Error("base.wrong_field", text("\"{}\" is not a time", "“{}”不是时间", sanitize_utf8(input)))
        .next(text("write it as 2026-12-01T09:30:00Z", "请写成 2026-12-01T09:30:00Z"));
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  if (std::sscanf(input.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 || used != 10) return refuse();
  std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                   std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return refuse();
  TimeMs base_ms = std::chrono::sys_days{date}.time_since_epoch().count() * std::int64_t{86'400'000};
  std::string_view rest = std::string_view(input).substr(10);
  if (rest.empty()) return base_ms;
  std::string clock_part(rest.substr(1));
  if ((rest[0] != 'T' && rest[0] != ' ') ||
      std::sscanf(clock_part.c_str(), "%2d:%2d:%2d%n", &hour, &minute, &second, &used) != 3 || used != 8) {
    return refuse();
  }
  if (hour > 23 || minute > 59 || second > 60 || hour < 0 || minute < 0 || second < 0) return refuse();
  base_ms += ((hour * 60LL + minute) * 60LL + second) * 1000LL;
  std::string_view tail = std::string_view(clock_part).substr(8);
  if (!tail.empty() && tail[0] == '.') {
    std::size_t digits = 0;
    int scale = 100;
    while (1 + digits < tail.size() && tail[1 + digits] >= '0' && tail[1 + digits] <= '9') {
      base_ms += (tail[1 + digits] - '0') * scale;
      scale /= 10;
      ++digits;
    }
    if (digits == 0) return refuse();
    tail.remove_prefix(1 + digits);
  }
  if (tail == "Z" || tail == "z") return base_ms;
  int offset_hour = 0, offset_minute = 0;
  std::string offset(tail);
  if (offset.size() != 6 || (offset[0] != '+' && offset[0] != '-') ||
      std::sscanf(offset.c_str() + 1, "%2d:%2d", &offset_hour, &offset_minute) != 2) {
    return refuse();
  }
  std::int64_t shift_ms = (offset_hour * 60LL + offset_minute) * 60'000LL;
  return offset[0] == '+' ? base_ms - shift_ms : base_ms + shift_ms;
}

}  // namespace starbridge::base
