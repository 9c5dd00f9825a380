#include "port/visible_devices.h"

#include <gtest/gtest.h>

namespace starbridge::port {
namespace {

TEST(VisibleDevices, TheValueIsReadWhereverItStands) {
  struct Case {
    const char* text;
    const char* written;  // empty: no list
    const char* in_order;
    bool is_wrong;
  };
  const Case cases[] = {
      {"X=0,1", "0,1", "0,1", false},
      {"X=1,0 python", "1,0", "0,1", true},
      {"X=\"3,1,1\"", "3,1,1", "1,3", true},
      {"X']='2'", "2", "2", false},
      {"X\"] = '1,0'  # why", "1,0", "0,1", true},
      {"X\": \"1,0\"}", "1,0", "0,1", true},
      {"X\n  value: \"0-3\"\n", "0-3", "0,1,2,3", true},
      {"X: GPU-8932f937,1", "GPU-8932f937,1", "", true},
      {"X=", "", "", false},
      {"X=$CARDS", "", "", false},
      {"X=''", "", "", false},
      {"X'] = str(i)", "", "", false},
      {"X", "", "", false},
      {"X=9999999999", "9999999999", "", true},
  };
  for (const Case& c : cases) {
    std::optional<VisibleDevices> devices = read_visible_devices(c.text, 1);
    EXPECT_EQ(devices ? devices->written : "", c.written) << c.text;
    if (!devices) continue;
    EXPECT_EQ(devices->in_order, c.in_order) << c.text;
    EXPECT_EQ(!describe_order(*devices, "chip").empty(), c.is_wrong) << c.text;
  }
}

}  // namespace
}  // namespace starbridge::port
