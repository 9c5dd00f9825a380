#ifdef TWIN_MLU
#include "kernels/three_nn_forward/three_nn_forward_union1.mlu"
#else
#include "three_nn_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: batches, points, known points.
void twin::run() {
  const int batches = twin::size(0), points = twin::size(1), known = twin::size(2), count = batches * points * 3;
  Real* point = twin::numbers(twin::uniform(count, -1, 1));
  const twin::Floats places = twin::uniform(batches * known * 3, -1, 1);
  Real* distance = twin::unfilled<Real>(count);
  int* index = twin::unfilled<int>(count);
#ifdef TWIN_MLU
  Real* other = twin::numbers(twin::permuted(places, {batches, known, 3}, {0, 2, 1}));
  KernelThreeNNForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, batches, points, known, point, other, distance,
                       index);
#else
  Real* other = twin::numbers(places);
  three_nn_forward_cuda_kernel<Real>
      <<<dim3(GET_BLOCKS(points), batches), 512>>>(batches, points, known, point, other, distance, index);
#endif
  twin::save("distance", distance, count);
  twin::save("index", index, count);
}
