// roi_align_rotated forward; a driver names the function of the twin in TWIN_LAUNCH. Sizes: images, channels, height, width,
// regions, side of the pooled, sampling ratio, aligned, clockwise.
#pragma once
#ifndef TWIN_MLU
#include "roi_align_rotated_cuda_kernel.cuh"
#endif
#include "twin.h"

void twin::run() {
  const int images = twin::size(0), channels = twin::size(1), height = twin::size(2), width = twin::size(3),
            regions = twin::size(4), side = twin::size(5), ratio = twin::size(6), aligned = twin::size(7),
            clockwise = twin::size(8);
  const float scale = 0.5f;
  const int pooled = regions * channels * side * side;
  const twin::Floats image = twin::features(images * channels * height * width);
  twin::Floats drawn;
  for (int i = 0; i < regions; ++i) {
    drawn.push_back(static_cast<float>(twin::draw_below(images)));
    drawn.push_back(twin::draw(0, 2 * width));
    drawn.push_back(twin::draw(0, 2 * height));
    drawn.push_back(twin::draw(2, width));
    drawn.push_back(twin::draw(2, height));
    drawn.push_back(twin::draw(-3, 3));
  }
  Real* region = twin::numbers(drawn);
  Real* output = twin::unfilled<Real>(pooled);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::channels_last(image, images, channels, height, width));
  mluOpRoiAlignRotatedParams how;
  how.aligned = aligned;
  how.clockwise = clockwise;
  how.pooled_height = side;
  how.pooled_width = side;
  how.sample_ratio = ratio;
  how.spatial_scale = scale;
  TWIN_LAUNCH({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, region, images, height, width, channels, regions,
              how, output);
  twin::save("output", twin::channels_first(twin::from_device(output, pooled), regions, side, side, channels));
#else
  Real* input = twin::numbers(image);
  roi_align_rotated_forward_cuda_kernel<Real><<<GET_BLOCKS(pooled), 512>>>(
      pooled, input, region, scale, ratio, aligned, clockwise, channels, height, width, side, side, output);
  twin::save("output", output, pooled);
#endif
}
