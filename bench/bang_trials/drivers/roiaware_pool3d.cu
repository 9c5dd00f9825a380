#ifdef TWIN_MLU
#include "kernels/roiaware_pool3d/roiaware_pool3d_union1.mlu"
#else
#include "roiaware_pool3d_cuda_kernel.cuh"
#endif
#include "boxes_3d.h"

// Sizes: regions, points, channels, voxels on a side, points in a voxel, method (0 largest, 1 mean).
void twin::run() {
  const int regions = twin::size(0), points = twin::size(1), channels = twin::size(2), side = twin::size(3), kept = twin::size(4),
            method = twin::size(5);
  const int voxels = regions * side * side * side;
  const twin::Floats places = twin::uniform(points * 3, -3, 3), values = twin::features(points * channels);
  Real* box = twin::numbers(draw_boxes_3d(regions, 1, 4));
  int* index = twin::filled(voxels * kept, 0);
  Real* output = twin::filled<Real>(voxels * channels, 0);
  int* argmax = twin::filled(voxels * channels, method == 0 ? -1 : 0);
#ifdef TWIN_MLU
  Real* point = twin::numbers(twin::permuted(places, {points, 3}, {1, 0}));
  Real* value = twin::numbers(twin::permuted(values, {points, channels}, {1, 0}));
  KernelPtsIdxOfVoxels({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, method, regions, points, kept, side, side, side,
                       box, point, index);
  KernelRoiawarePool3dForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, method, regions, points, channels, kept,
                              side, side, side, value, index, output, argmax);
#else
  Real* point = twin::numbers(places);
  Real* value = twin::numbers(values);
  int* mask = twin::filled(regions * points, -1);
  generate_pts_mask_for_box3d<Real>
      <<<dim3(GET_BLOCKS(points), regions), 512>>>(regions, points, side, side, side, box, point, mask);
  collect_inside_pts_for_box3d<int><<<GET_BLOCKS(regions), 512>>>(regions, points, kept, side, side, side, mask, index);
  const dim3 grid(GET_BLOCKS(side * side * side), channels, regions);
  if (method == 0)
    roiaware_maxpool3d<Real><<<grid, 512>>>(regions, points, channels, kept, side, side, side, value, index, output, argmax);
  else
    roiaware_avgpool3d<Real><<<grid, 512>>>(regions, points, channels, kept, side, side, side, value, index, output);
#endif
  twin::save("output", output, voxels * channels);
  twin::save("index", index, voxels * kept);
  if (method == 0) twin::save("argmax", argmax, voxels * channels);
}
