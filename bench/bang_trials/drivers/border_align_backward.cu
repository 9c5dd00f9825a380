#ifdef TWIN_MLU
#include "kernels/border_align/border_align_backward/border_align_backward_union1.mlu"
#else
#include "border_align_cuda_kernel.cuh"
#endif
#include "border_align.h"

void twin::run() {
  const BorderAlign s;
  const twin::Floats gradient = twin::features(s.pooled);
  Real* boxes = twin::numbers(s.draw_boxes());
  const twin::Ints places = twin::below(s.pooled, s.pool + 1);
  Real* output = twin::filled<Real>(s.pixels, 0);
#ifdef TWIN_MLU
  const twin::Ints dims = {s.images, s.channels, s.boxes, 4}, order = {0, 2, 3, 1};
  Real* input = twin::numbers(twin::permuted(gradient, dims, order));
  int* argmax = twin::on_device(twin::permuted(places, dims, order));
  KernelBorderAlignBackward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, boxes, argmax, s.pool, s.images,
                            s.height, s.width, s.channels, s.boxes, output);
  twin::save("gradient", twin::channels_first(twin::from_device(output, s.pixels), s.images, s.height, s.width, 4 * s.channels));
#else
  Real* input = twin::numbers(gradient);
  int* argmax = twin::on_device(places);
  const int count = s.images * s.channels * s.boxes;
  border_align_backward_cuda_kernel<Real><<<GET_BLOCKS(count, 128), dim3(128, 4)>>>(
      count, input, boxes, argmax, output, s.channels, s.boxes, s.height, s.width, s.pool);
  twin::save("gradient", output, s.pixels);
#endif
}
