#include <gtest/gtest.h>

#include "kernel/cost/chip_costs.h"
#include "kernel/cost/times.h"

namespace starbridge::kernel::cost {
namespace {

TEST(ChipCosts, EveryChipHasEveryRow) {
  auto chips = chips_with_costs();
  ASSERT_TRUE(chips.ok());
  ASSERT_FALSE(chips->empty());
  for (const std::string& chip : *chips) {
    auto costs = find_costs(chip);
    ASSERT_TRUE(costs.ok()) << chip;
    EXPECT_EQ(costs->rows.size(), cost_names().size()) << chip;
    for (const CostRow& row : costs->rows) EXPECT_FALSE(row.source.empty()) << chip << " " << row.name;
  }
}

TEST(ChipCosts, UnknownChipIsRefused) {
  auto costs = find_costs("abacus");
  ASSERT_FALSE(costs.ok());
  EXPECT_EQ(costs.error().code(), "kernel.no_costs");
}

TEST(Times, LaunchesOfOneKernelAddUp) {
  auto costs = find_costs("mlu370-x8");
  ASSERT_TRUE(costs.ok());
  const std::string launch =
      R"j({"kernel":"void sum<float>(float*, int)","cycles":1300,"cycles_mean":650,"busy":{"scalar":130,"vector":260,"matrix":0,"io":1040,"move":0},)j"
      R"j("vector_operations":3,"unique_bytes_read":64,"unique_bytes_written":0,"places":[{"module":"a","offset":4,"name":"x","pipe":"io","count":1,"cycles":13}]})j";
  auto times = read_times(launch + "\n" + launch + "\n", "memory", *costs);
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 1U);
  const KernelTimes& sum = times->front();
  EXPECT_EQ(sum.kernel, "sum<float>");
  EXPECT_EQ(sum.launches, 2U);
  EXPECT_DOUBLE_EQ(sum.us, 2);
  EXPECT_DOUBLE_EQ(sum.us_mean, 1);
  EXPECT_EQ(sum.vector_operations, 6U);
  EXPECT_EQ(sum.bottleneck(), "io");
  ASSERT_EQ(sum.places.size(), 1U);
  EXPECT_EQ(sum.places[0].count, 2U);
}

TEST(Times, DamagedTextIsNoTime) {
  auto costs = find_costs("mlu370-x8");
  ASSERT_TRUE(costs.ok());
  EXPECT_FALSE(read_times("{\"kernel\":", "memory", *costs).ok());
}

TEST(Bound, IsTheLargerOfMemoryAndArithmetic) {
  auto costs = find_costs("mlu370-x8");
  ASSERT_TRUE(costs.ok());
  KernelTimes port;
  port.unique_bytes_read = 614400;
  const Bound memory = bound_of(port, 0, 0, *costs);
  EXPECT_DOUBLE_EQ(memory.us(), 1);
  EXPECT_EQ(memory.by(), "memory");
  // 128 bytes, 32 words, per cycle on 16 cores of 1300 MHz.
  const Bound arithmetic = bound_of(port, 32ULL * 16 * 1300 * 2, 0, *costs);
  EXPECT_DOUBLE_EQ(arithmetic.us(), 2);
  EXPECT_EQ(arithmetic.by(), "vector");
}

}  // namespace
}  // namespace starbridge::kernel::cost
