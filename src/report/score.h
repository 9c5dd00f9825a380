// Score: how much of a migration is left, as one number with its parts. Pure; any thread.
//
//   score = 100 * automatic / (automatic + assisted + manual)          (100 when there is nothing to do)
//
// in points of work: an edit made by port is worth kPointsPerEdit; a finding that names its replacement kPointsPerAssisted; one
// that does not kPointsPerManual; a CUDA kernel to be ported kPointsPerKernelLine for each of its lines. The points are assumed
// relative efforts, not measured times.
#pragma once

#include <cstddef>

#include "port/project.h"

namespace starbridge::report {

inline constexpr std::size_t kPointsPerEdit = 1;
inline constexpr std::size_t kPointsPerAssisted = 3;
inline constexpr std::size_t kPointsPerManual = 10;
inline constexpr std::size_t kPointsPerKernelLine = 1;

struct Score {
  std::size_t automatic_points = 0;
  std::size_t assisted_points = 0;
  std::size_t manual_points = 0;
  std::size_t automatic_count = 0;
  std::size_t assisted_count = 0;
  std::size_t manual_count = 0;
  int score = 100;  // 0 to 100, rounded down: 100 means that nothing is left
};

// `kernel_line_count`: lines of CUDA kernels that need a port for this chip.
Score score_of(const port::ChipReport& chip, std::size_t kernel_line_count);

}  // namespace starbridge::report
