#ifdef TWIN_MLU
#include "kernels/border_align/border_align_forward/border_align_forward_union1.mlu"
#else
#include "border_align_cuda_kernel.cuh"
#endif
#include "border_align.h"

void twin::run() {
  const BorderAlign s;
  const twin::Floats image = twin::features(s.pixels);
  Real* boxes = twin::numbers(s.draw_boxes());
  Real* output = twin::unfilled<Real>(s.pooled);
  int* argmax = twin::unfilled<int>(s.pooled);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::channels_last(image, s.images, 4 * s.channels, s.height, s.width));
  KernelBorderAlignForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, boxes, s.pool, s.images, s.height,
                           s.width, s.channels, s.boxes, output, argmax);
  const twin::Ints dims = {s.images, s.boxes, 4, s.channels}, order = {0, 3, 1, 2};
  twin::save("output", twin::permuted(twin::from_device(output, s.pooled), dims, order));
  twin::save("argmax", twin::permuted(twin::from_device(argmax, s.pooled), dims, order));
#else
  Real* input = twin::numbers(image);
  const int count = s.images * s.channels * s.boxes;
  border_align_forward_cuda_kernel<Real><<<GET_BLOCKS(count, 128), dim3(128, 4)>>>(
      count, input, boxes, output, argmax, s.channels, s.boxes, s.height, s.width, s.pool);
  twin::save("output", output, s.pooled);
  twin::save("argmax", argmax, s.pooled);
#endif
}
