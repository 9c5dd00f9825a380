#include "base/clock.h"

#include <gtest/gtest.h>

namespace starbridge::base {
namespace {

TEST(Clock, TimesPrintAndParseBack) {
  for (TimeMs time : {TimeMs{0}, TimeMs{1'796'126'400'250}, TimeMs{951'782'400'000}, TimeMs{-1}}) {
    EXPECT_EQ(parse_time(format_time(time)).value(), time) << format_time(time);
  }
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(parse_time("2026-12-01").value(), parse_time("2026-12-01T08:00:00+08:00").value());
}

TEST(Clock, WrongTimesAreRefused) {
  for (const char* bad : {"", "now", "2026-13-01", "2026-02-30", "2026-12-01T25:00:00Z", "2026-12-01T10:00:00",
                          "2026-12-01T10:00:00.Z", "2026-12-01T10:00:00+8", "2026-12-01X10:00:00Z"}) {
    EXPECT_FALSE(parse_time(bad).ok()) << bad;
  }
}

TEST(Clock, DurationsReadNaturally) {
  EXPECT_EQ(format_duration(120), "120 ms");
  EXPECT_EQ(format_duration(2'560), "2.5 s");
  EXPECT_EQ(format_duration(83'000), "1 min 23 s");
  EXPECT_EQ(format_duration(3'723'000), "1 h 02 min 03 s");
}

}  // namespace
}  // namespace starbridge::base
