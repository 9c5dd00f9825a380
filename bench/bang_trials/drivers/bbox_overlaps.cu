#ifdef TWIN_MLU
#include "kernels/bbox_overlaps/bbox_overlaps_union1.mlu"
#else
#include "bbox_overlaps_cuda_kernel.cuh"
#endif
#include "twin.h"

twin::Floats boxes(int count) {
  twin::Floats result;
  for (int i = 0; i < count; ++i) {
    const float x = twin::draw(0, 60), y = twin::draw(0, 60);
    const float right = x + twin::draw(1, 40), bottom = y + twin::draw(1, 40);
    result.insert(result.end(), {x, y, right, bottom});
  }
  return result;
}

// Sizes: boxes, other boxes, mode, aligned, offset.
void twin::run() {
  const int mode = twin::size(2), aligned = twin::size(3), offset = twin::size(4);
  const int n = twin::size(0), m = aligned != 0 ? n : twin::size(1), count = aligned != 0 ? n : n * m;
  Real* left = twin::numbers(boxes(n));
  Real* right = twin::numbers(boxes(m));
  Real* overlaps = twin::unfilled<Real>(count);
#ifdef TWIN_MLU
  KernelBboxOverlaps({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, left, right, overlaps, n, m, mode, aligned,
                     offset);
#else
  bbox_overlaps_cuda_kernel<Real><<<GET_BLOCKS(count), 512>>>(left, right, overlaps, n, m, mode, aligned, offset);
#endif
  twin::save("overlaps", overlaps, count);
}
