#ifdef TWIN_MLU
#include "kernels/voxelization/voxelization_kernel.mlu"
#else
#include "voxelization_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: points, features, points in a voxel, voxels.
void twin::run() {
  const int points = twin::size(0), count = twin::size(1), kept = twin::size(2), voxels = twin::size(3);
  const float sides[3] = {0.5f, 0.25f, 1}, range[6] = {-2, -1.5f, -1, 2, 1.5f, 1};
  twin::Floats drawn = twin::features(points * count);
  for (int i = 0; i < points; ++i)
    for (int k = 0; k < 3; ++k) drawn[i * count + k] = twin::draw(range[k] * 1.25f, range[k + 3] * 1.25f);
  Real* point = twin::numbers(drawn);
  int* point_of_point = twin::filled(points, -1);
  int* voxel_of_point = twin::filled(points, -1);
  int* voxel_of_coordinate = twin::filled(points, -1);
  Real* output = twin::filled<Real>(voxels * kept * count, 0);
  int* coordinates = twin::filled(voxels * 3, 0);
  int* counts = twin::filled(voxels, 0);
  int* found = twin::filled(1, 0);
  int* place = twin::filled(points * 3, 0);
#ifdef TWIN_MLU
  Real* side = twin::numbers(twin::Floats(sides, sides + 3));
  Real* limits = twin::numbers(twin::Floats(range, range + 6));
  KernelDynamicVoxelize({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, point, side, limits, place, points, count);
  KernelPoint2Voxel({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, place, point_of_point, voxel_of_point, points, kept);
  KernelCalcPointsPerVoxel({1, 1, 1}, cnrtFuncTypeBlock, kQueue, point_of_point, voxel_of_point, voxel_of_coordinate, counts, found,
                           voxels, points);
  KernelAssignVoxelsCoors({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, point, place, voxel_of_point, voxel_of_coordinate, output,
                          coordinates, kept, points, count);
#else
  int grid[3];
  for (int k = 0; k < 3; ++k) grid[k] = static_cast<int>(std::round((range[k + 3] - range[k]) / sides[k]));
  dynamic_voxelize_kernel<Real, int>
      <<<GET_BLOCKS(points), 512>>>(point, place, sides[0], sides[1], sides[2], range[0], range[1], range[2], range[3], range[4],
                                    range[5], grid[0], grid[1], grid[2], points, count, 3);
  point_to_voxelidx_kernel<int><<<GET_BLOCKS(points), 512>>>(place, voxel_of_point, point_of_point, kept, voxels, points, 3);
  determin_voxel_num<int><<<1, 1>>>(counts, voxel_of_point, point_of_point, voxel_of_coordinate, found, kept, voxels, points);
  assign_point_to_voxel<Real, int><<<GET_BLOCKS(points * count), 512>>>(
      points * count, point, voxel_of_point, voxel_of_coordinate, output, kept, count, points, 3);
  assign_voxel_coors<int><<<GET_BLOCKS(points * 3), 512>>>(points * 3, place, voxel_of_point, voxel_of_coordinate, coordinates,
                                                           points, 3);
#endif
  twin::save("output", output, voxels * kept * count);
  twin::save("coordinates", coordinates, voxels * 3);
  twin::save("counts", counts, voxels);
  twin::save("found", found, 1);
}
