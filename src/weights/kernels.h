// Kernels: the inner loops of comparing tensors, one per element type, compiled for two instruction sets; the better one that the
// machine has is taken. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weights/dtype.h"

namespace starbridge::weights {

constexpr std::size_t kDTypeCount = 27;

// What two runs of elements have in common and what not. Sums of several runs are added up by calling a kernel again with the
// same tally. "Left" is the reference.
struct Tally {
  double absolute_max = 0;    // |left - right|; infinite when exactly one is infinite or both with different signs
  double relative_max = 0;    // |left - right| / |left| where left is not zero
  std::uint64_t ulp_max = 0;  // representable numbers between left and right; whole numbers: their difference
  double dot = 0;             // for the cosine; NaN and infinity left out
  double left_square = 0;
  double right_square = 0;
  double left_peak = 0;       // largest finite |left|
  std::uint64_t unequal = 0;  // elements of different value (-0 equals 0, NaN equals NaN)
  std::uint64_t beyond = 0;   // |left - right| > absolute + relative * |left|, or not comparable
  std::uint64_t beyond_1_permille = 0;
  std::uint64_t beyond_5_permille = 0;
  std::uint64_t nan_left = 0;
  std::uint64_t nan_right = 0;
  std::uint64_t nan_mismatch = 0;  // NaN on one side only
  std::uint64_t infinite_left = 0;
  std::uint64_t infinite_right = 0;
  std::uint64_t count = 0;        // elements seen
  std::uint64_t worst_index = 0;  // of absolute_max, counted over all runs
};

struct Limits {
  double relative = 0;
  double absolute = 0;
};

struct KernelSet {
  using Compare = void (*)(const std::byte* left, const std::byte* right, std::size_t count, const Limits& limits, Tally& tally);
  using Widen = void (*)(const std::byte* elements, std::size_t count, double* out);
  // Plain arrays: std::array has inline functions (see kernels_impl.h). By DType; complex types are handed as twice as many of
  // their components. Packed types have none.
  Compare compare[kDTypeCount] = {};
  Widen widen[kDTypeCount] = {};  // exact, but for whole numbers above 2^53
};

const KernelSet& baseline_kernels();
// The best for this machine.
const KernelSet& kernels();

}  // namespace starbridge::weights
