#ifdef TWIN_MLU
#include "kernels/three_interpolate/three_interpolate_union1.mlu"
#else
#include "three_interpolate_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: batches, channels, known points, points.
void twin::run() {
  const int batches = twin::size(0), channels = twin::size(1), known = twin::size(2), points = twin::size(3),
            count = batches * channels * points;
  Real* input = twin::numbers(twin::features(batches * channels * known));
  Real* weights = twin::numbers(twin::uniform(batches * points * 3, 0, 1));
  int* index = twin::on_device(twin::below(batches * points * 3, known));
  Real* output = twin::unfilled<Real>(count);
#ifdef TWIN_MLU
  const int at_once = 64;  // channels, known points and points in NRAM
  KernelThreeInterpolateForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, index, weights, batches,
                                channels, known, points, at_once, at_once, at_once, output);
#else
  three_interpolate_forward_cuda_kernel<Real>
      <<<dim3(GET_BLOCKS(points), channels, batches), 512>>>(batches, channels, known, points, input, index, weights, output);
#endif
  twin::save("output", output, count);
}
