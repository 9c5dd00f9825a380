#ifdef TWIN_MLU
#include "kernels/roipoint_pool3d/roipoint_pool3d_union1.mlu"
#else
#include "roipoint_pool3d_cuda_kernel.cuh"
#endif
#include "boxes_3d.h"

// Sizes: batches, points, boxes, channels, samples of a box.
void twin::run() {
  const int batches = twin::size(0), points = twin::size(1), boxes = twin::size(2), channels = twin::size(3),
            samples = twin::size(4);
  const int count = batches * boxes * samples * (3 + channels);
  const twin::Floats places = twin::uniform(batches * points * 3, -3, 3), values = twin::features(batches * points * channels);
  Real* box = twin::numbers(draw_boxes_3d(batches * boxes, 0.5f, 3));
#ifdef TWIN_MLU
  auto bytes = [](auto* memory) { return reinterpret_cast<std::int8_t*>(memory); };
  // As the vendor's host code does: points, features and scratch of the transpositions in one workspace. The kernel reads up to 512 bytes
  // past the features, which an allocation of their own would not allow.
  twin::Floats workspace = twin::permuted(places, {batches, points, 3}, {2, 0, 1});
  const twin::Floats turned = twin::permuted(values, {batches, points, channels}, {0, 2, 1});
  workspace.insert(workspace.end(), turned.begin(), turned.end());
  workspace.resize(workspace.size() + 128);
  Real* point = twin::numbers(workspace);
  Real* value = point + places.size();
  Real* output = twin::unfilled<Real>(count);
  int* is_empty = twin::unfilled<int>(batches * boxes);
  KernelRoipointPool3d({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, batches, points, boxes, channels, samples,
                       bytes(point), bytes(value), bytes(box), bytes(output), bytes(is_empty));
#else
  Real* point = twin::numbers(places);
  Real* value = twin::numbers(values);
  Real* output = twin::filled<Real>(count, 0);
  int* is_empty = twin::filled(batches * boxes, 0);
  int* owner = twin::unfilled<int>(batches * points * boxes);
  int* index = twin::unfilled<int>(batches * boxes * samples);
  assign_pts_to_box3d<Real><<<dim3(GET_BLOCKS(points), boxes, batches), 512>>>(batches, points, boxes, point, box, owner);
  get_pooled_idx<<<dim3(GET_BLOCKS(boxes), batches), 512>>>(batches, points, boxes, samples, owner, index, is_empty);
  roipoint_pool3d_forward<Real><<<dim3(GET_BLOCKS(samples), boxes, batches), 512>>>(batches, points, boxes, channels, samples,
                                                                                      point, index, value, output, is_empty);
#endif
  twin::save("output", output, count);
  twin::save("is_empty", is_empty, batches * boxes);
}
