#ifdef TWIN_MLU
#include "kernels/box_iou_rotated/box_iou_rotated_union1.mlu"
#else
#include "box_iou_rotated_cuda.cuh"
#endif
#include "twin.h"

twin::Floats boxes(int count) {
  twin::Floats result;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 2; ++k) result.push_back(twin::draw(0, 20));
    for (int k = 0; k < 2; ++k) result.push_back(twin::draw(2, 20));
    result.push_back(twin::draw(-3, 3));
  }
  return result;
}

// Sizes: boxes, other boxes, mode, aligned.
void twin::run() {
  const int mode = twin::size(2), aligned = twin::size(3);
  const int n = twin::size(0), m = aligned != 0 ? n : twin::size(1), count = aligned != 0 ? n : n * m;
  Real* left = twin::numbers(boxes(n));
  Real* right = twin::numbers(boxes(m));
  Real* overlaps = twin::unfilled<Real>(count);
#ifdef TWIN_MLU
  KernelBoxIouRotated({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, left, right, overlaps, n, m, mode, aligned);
#else
  box_iou_rotated_cuda_kernel<Real><<<GET_BLOCKS(count), 512>>>(n, m, left, right, overlaps, mode, aligned);
#endif
  twin::save("overlaps", overlaps, count);
}
