#ifdef TWIN_MLU
#include "kernels/ball_query/ball_query_union1.mlu"
#else
#include "ball_query_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: batches, points, centres, samples for each.
void twin::run() {
  const int batches = twin::size(0), points = twin::size(1), centres = twin::size(2), samples = twin::size(3);
  const float nearest = 0.1f, farthest = 0.6f;
  Real* xyz = twin::numbers(twin::uniform(batches * points * 3, -1, 1));
  Real* centre_xyz = twin::numbers(twin::uniform(batches * centres * 3, -1, 1));
  int* found = twin::filled(batches * centres * samples, 0);
#ifdef TWIN_MLU
  KernelBallQuery({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, batches, points, centres, nearest, farthest, samples,
                  centre_xyz, xyz, found);
#else
  ball_query_forward_cuda_kernel<Real><<<dim3(GET_BLOCKS(centres), batches), 512>>>(batches, points, centres, nearest, farthest,
                                                                                      samples, centre_xyz, xyz, found);
#endif
  twin::save("found", found, batches * centres * samples);
}
