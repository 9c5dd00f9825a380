#ifdef TWIN_MLU
#include "kernels/active_rotated_filter/active_rotated_filter_unionx.mlu"
#else
#include "active_rotated_filter_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: output planes, input planes, orientations, rotations, kernel side (1 or 3).
void twin::run() {
  const int planes_out = twin::size(0), planes_in = twin::size(1), orientations = twin::size(2), rotations = twin::size(3),
            side = twin::size(4), taps = side * side;
  // Where each tap goes when the filter is turned: around the rim, one place for 45 degrees.
  const int rim[8] = {0, 1, 2, 5, 8, 7, 6, 3};
  int place_on_rim[9] = {};
  for (int i = 0; i < 8; ++i) place_on_rim[rim[i]] = i;
  twin::Ints indices(static_cast<std::size_t>(orientations) * taps * rotations);
  for (int i = 0; i < orientations; ++i)
    for (int j = 0; j < taps; ++j)
      for (int r = 0; r < rotations; ++r) {
        const float angle = 360.0f / rotations * r;
        const int layer = (i + static_cast<int>(std::floor(angle / (360.0f / orientations)))) % orientations;
        const int to = side == 3 && j != 4 ? rim[(place_on_rim[j] + static_cast<int>(angle / 45)) % 8] : j;
        indices[(i * taps + j) * rotations + r] = layer * taps + to + 1;
      }
  const int count = planes_out * planes_in * orientations * taps;
  Real* input = twin::numbers(twin::features(count));
  int* where = twin::on_device(indices);
  Real* output = twin::filled<Real>(static_cast<std::size_t>(count) * rotations, 0);
#ifdef TWIN_MLU
  Real* workspace = twin::unfilled<Real>(count);
  KernelActiveRotatedFilterForward({16, 1, 1}, cnrtFuncTypeUnion4, kQueue, MLUOP_DTYPE_FLOAT, planes_out, planes_in, orientations,
                                   side, side, rotations, input, where, workspace, output);
#else
  active_rotated_filter_forward_cuda_kernel<Real><<<GET_BLOCKS(count), 512>>>(
      count, input, where, planes_in, planes_out, orientations, rotations, orientations * taps, output);
#endif
  twin::save("output", output, static_cast<std::size_t>(count) * rotations);
}
