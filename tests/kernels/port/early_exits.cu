// Ways out of the middle: return inside a loop, a search that stops, a local array.
#include "check.h"

__global__ void first_above(int* to, const float* from, int rows, int width, float limit) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float best[2] = {-1e30f, -1e30f};
  for (int i = 0; i < width; ++i) {
    const float v = from[r * width + i];
    if (v > limit) {
      to[r] = i;
      return;
    }
    if (v > best[0]) {
      best[1] = best[0];
      best[0] = v;
    } else if (v > best[1]) {
      best[1] = v;
    }
  }
  to[r] = best[1] > 0 ? -1 : -2;
}

int main() {
  const int rows = 130, width = 9;
  const std::vector<float> in = floats(rows * width);
  float* from = to_card(in);
  int* to = to_card(std::vector<int>(rows));
  first_above<<<3, 64>>>(to, from, rows, width, 3.2f);
  const std::vector<int> got = from_card(to, rows);
  CHECK(cudaFree(from));
  for (int r = 0; r < rows; ++r) {
    int wanted = -3;
    float best[2] = {-1e30f, -1e30f};
    for (int i = 0; i < width && wanted == -3; ++i) {
      const float v = in[r * width + i];
      if (v > 3.2f) wanted = i;
      if (v > best[0]) best[1] = best[0], best[0] = v;
      else if (v > best[1]) best[1] = v;
    }
    if (wanted == -3) wanted = best[1] > 0 ? -1 : -2;
    expect(got[r], wanted, 0, "row", r);
  }
}
