#ifdef TWIN_MLU
#include "kernels/points_in_boxes/points_in_boxes_block_kernel.mlu"
#else
#include "points_in_boxes_cuda_kernel.cuh"
#endif
#include "boxes_3d.h"

// Sizes: batches, points, boxes. The twin counts from the middle of a box, the CUDA kernel from its bottom.
void twin::run() {
  const int batches = twin::size(0), points = twin::size(1), boxes = twin::size(2);
  Real* point = twin::numbers(twin::uniform(batches * points * 3, -3, 3));
  twin::Floats drawn = draw_boxes_3d(batches * boxes, 0.5f, 3);
#ifdef TWIN_MLU
  Real* box = twin::numbers(drawn);
  int* inside = twin::unfilled<int>(batches * points);
  const unsigned at_once = (MAX_NRAM_SIZE - boxes * 28) / 36;
  KernelPointsInBoxes({1, 16, 1}, cnrtFuncTypeBlock, kQueue, batches, points, boxes, point, box, inside, points * 3, boxes * 7,
                      points, at_once, at_once * 3, at_once);
#else
  for (int i = 0; i < batches * boxes; ++i) drawn[i * 7 + 2] -= drawn[i * 7 + 5] / 2;
  Real* box = twin::numbers(drawn);
  int* inside = twin::filled(batches * points, -1);
  points_in_boxes_part_forward_cuda_kernel<Real>
      <<<dim3(GET_BLOCKS(points), batches), 512>>>(batches, boxes, points, box, point, inside);
#endif
  twin::save("inside", inside, batches * points);
}
