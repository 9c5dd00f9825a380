// Inputs of border_align. Sizes: images, channels, height, width, samples on a side.
#pragma once
#include "twin.h"

struct BorderAlign {
  int images = twin::size(0), channels = twin::size(1), height = twin::size(2), width = twin::size(3), pool = twin::size(4);
  int boxes = height * width;
  int pooled = images * channels * boxes * 4, pixels = images * 4 * channels * height * width;

  twin::Floats draw_boxes() const {
    twin::Floats result;
    for (int i = 0; i < images * boxes; ++i) {
      const float x = twin::draw(-1, width - 4), y = twin::draw(-1, height - 4);
      const float right = x + twin::draw(0, 5), bottom = y + twin::draw(0, 5);
      result.insert(result.end(), {x, y, right, bottom});
    }
    return result;
  }
};
