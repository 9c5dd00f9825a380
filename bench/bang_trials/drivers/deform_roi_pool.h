// Inputs of deform_roi_pool. Sizes: images, channels, height, width, regions, side of the pooled, sampling ratio.
#pragma once
#include "twin.h"

struct DeformRoiPool {
  int images = twin::size(0), channels = twin::size(1), height = twin::size(2), width = twin::size(3), regions = twin::size(4),
      side = twin::size(5), ratio = twin::size(6);
  float scale = 0.5f, gamma = 0.1f;
  int pixels = images * channels * height * width, pooled = regions * channels * side * side, moves = regions * 2 * side * side;

  twin::Floats draw_regions() const {
    twin::Floats result;
    for (int i = 0; i < regions; ++i) {
      const float image = static_cast<float>(twin::draw_below(images));
      const float x = twin::draw(0, width), y = twin::draw(0, height);
      const float right = x + twin::draw(2, width), bottom = y + twin::draw(2, height);
      result.insert(result.end(), {image, x, y, right, bottom});
    }
    return result;
  }
};
