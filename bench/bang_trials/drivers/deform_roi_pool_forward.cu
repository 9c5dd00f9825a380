#ifdef TWIN_MLU
#include "kernels/deform_roi_pool/deform_roi_pool_union1.mlu"
#else
#include "deform_roi_pool_cuda_kernel.cuh"
#endif
#include "deform_roi_pool.h"

void twin::run() {
  const DeformRoiPool s;
  const twin::Floats image = twin::features(s.pixels);
  Real* regions = twin::numbers(s.draw_regions());
  Real* moves = twin::numbers(twin::uniform(s.moves, -1, 1));
  Real* output = twin::unfilled<Real>(s.pooled);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::channels_last(image, s.images, s.channels, s.height, s.width));
  KernelDeformRoiPoolForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, regions, moves, output, s.images,
                             s.channels, s.height, s.width, s.regions, s.side, s.side, s.scale, s.ratio, s.gamma);
  twin::save("output", twin::channels_first(twin::from_device(output, s.pooled), s.regions, s.side, s.side, s.channels));
#else
  Real* input = twin::numbers(image);
  deform_roi_pool_forward_cuda_kernel<Real><<<GET_BLOCKS(s.pooled), 512>>>(
      s.pooled, input, regions, moves, output, s.side, s.side, s.scale, s.ratio, s.gamma, s.channels, s.height, s.width);
  twin::save("output", output, s.pooled);
#endif
}
