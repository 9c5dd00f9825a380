// Compare: what two runs of one program brought back from the card, judged by class of the kernels. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "kernel/accuracy.h"

namespace starbridge::kernel::port {

using Class = AccuracyClass;  // kReordered: also sums without contraction

struct Metrics {
  double diff1 = 0, diff2 = 0, relative_max = 0, absolute_max = 0;  // the four of mlu-ops (diff3 in two parts)
  double above_share = 0.5;                                         // diff4: share of deviations upwards
  double mere = 0, mare = 0;                                        // the two of CANN
  std::uint64_t words = 0, different = 0;
};

struct Comparison {
  bool agrees = false;
  base::Text reason;  // why not: kind and place of the first disagreement
  std::uint64_t copies = 0, bytes = 0;
  bool is_bit_equal = true;
  Metrics metrics;  // over all words that are taken for floats
};

// Both texts as emulate/common/trace writes them. Words whose bits look like small integers or NaN in either must be equal;
// others are taken for floats and judged with CANN's thresholds for float (2^-13 mean, ten times that at most, with a floor where
// the values are small against the copy's largest) and mlu-ops' diff1 and diff2 (3e-3).
// `floor`: of a copy's largest value; below it cancellation decides, and the absolute error counts against that.
// With the program's own inputs the floor makes the least error that counts a unit in the last place of the copy's largest value,
// 2^-23 of it; where signs were drawn, sums cancel.
constexpr double kFloor = 1.0 / 10240, kFloorOfChanged = 1e-3;
// `narrow`: 16-bit floats that the program's kernels keep in memory. Copies that look like such are judged as such, with CANN's limits
// for them.
struct NarrowTypes {
  bool half = false, brain = false;
};
Comparison compare_traces(std::string_view original, std::string_view ported, Class kind, double floor = kFloor,
                          NarrowTypes narrow = {});

// Parts of it (compare_narrow.cpp).
bool looks_narrow(std::string_view bytes, bool is_brain);
bool compare_narrow(std::string_view a, std::string_view b, bool is_brain, std::uint64_t copy, double floor, Comparison& result);

}  // namespace starbridge::kernel::port
