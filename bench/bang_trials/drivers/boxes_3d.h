// Turned boxes in space: centre of the bottom, sizes, angle.
#pragma once
#include "twin.h"

inline twin::Floats draw_boxes_3d(int count, float smallest, float largest) {
  twin::Floats result;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) result.push_back(twin::draw(-2, 2));
    for (int k = 0; k < 3; ++k) result.push_back(twin::draw(smallest, largest));
    result.push_back(twin::draw(-3, 3));
  }
  return result;
}
