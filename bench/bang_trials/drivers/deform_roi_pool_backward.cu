#ifdef TWIN_MLU
#include "kernels/deform_roi_pool/deform_roi_pool_union1.mlu"
#else
#include "deform_roi_pool_cuda_kernel.cuh"
#endif
#include "deform_roi_pool.h"

void twin::run() {
  const DeformRoiPool s;
  const twin::Floats image = twin::features(s.pixels), gradient = twin::uniform(s.pooled, -1, 1);
  Real* regions = twin::numbers(s.draw_regions());
  Real* moves = twin::numbers(twin::uniform(s.moves, -1, 1));
  Real* to_image = twin::filled<Real>(s.pixels, 0);
  Real* to_moves = twin::filled<Real>(s.moves, 0);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::channels_last(image, s.images, s.channels, s.height, s.width));
  Real* from = twin::numbers(twin::channels_last(gradient, s.regions, s.channels, s.side, s.side));
  KernelDeformRoiPoolBackward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, from, input, regions, moves, to_image,
                              to_moves, s.images, s.channels, s.height, s.width, s.regions, s.side, s.side, s.scale, s.ratio,
                              s.gamma);
  twin::save("to_image", twin::channels_first(twin::from_device(to_image, s.pixels), s.images, s.height, s.width, s.channels));
#else
  Real* input = twin::numbers(image);
  Real* from = twin::numbers(gradient);
  deform_roi_pool_backward_cuda_kernel<Real><<<GET_BLOCKS(s.pooled), 512>>>(s.pooled, from, input, regions, moves, to_image,
                                                                              to_moves, s.side, s.side, s.scale, s.ratio, s.gamma,
                                                                              s.channels, s.height, s.width);
  twin::save("to_image", to_image, s.pixels);
#endif
  twin::save("to_moves", to_moves, s.moves);
}
