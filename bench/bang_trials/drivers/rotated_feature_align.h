// rotated_feature_align, forwards or backwards as the driver says in TWIN_LAUNCH. Sizes: images, channels, height, width, points.
#pragma once
#include "twin.h"

void twin::run() {
  const int images = twin::size(0), channels = twin::size(1), height = twin::size(2), width = twin::size(3),
            points = twin::size(4);
  const int pixels = images * channels * height * width;
  const float scale = 1;
  const twin::Floats image = twin::features(pixels);
  twin::Floats drawn;
  for (int i = 0; i < images * height * width; ++i) {
    drawn.push_back(twin::draw(-1, height));
    drawn.push_back(twin::draw(-1, width));
    drawn.push_back(twin::draw(0, 4));
    drawn.push_back(twin::draw(0, 4));
    drawn.push_back(twin::draw(-1.5f, 1.5f));
  }
  Real* box = twin::numbers(drawn);
  Real* output = twin::filled<Real>(pixels, 0);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::channels_last(image, images, channels, height, width));
  TWIN_LAUNCH({16, 1, 1}, cnrtFuncTypeBlock, kQueue, MLUOP_DTYPE_FLOAT, input, box, images, height, width, channels, 5, scale,
              points, output);
  twin::save("output", twin::channels_first(twin::from_device(output, pixels), images, height, width, channels));
#else
  Real* input = twin::numbers(image);
  TWIN_LAUNCH<<<GET_BLOCKS(pixels), 512>>>(pixels, points, input, box, scale, channels, height, width, output);
  twin::save("output", output, pixels);
#endif
}
