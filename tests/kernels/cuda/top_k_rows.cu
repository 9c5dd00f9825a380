// The k largest of each row and their places: a warp keeps a shared list; a tie goes to the lower place.
#include <numeric>

#include "check.h"

template <int kBest> __global__ void top(const float* x, float* values, int* places, int rows, int width) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  float last = INFINITY;
  int last_place = -1;
  for (int best = 0; best < kBest; ++best) {
    float most = -INFINITY;
    int place = width;
    for (int i = lane; i < width; i += 32) {
      const float v = x[row * width + i];
      const bool is_later = v < last || (v == last && i > last_place);
      if (is_later && (v > most || (v == most && i < place))) most = v, place = i;
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, most, step);
      const int other_place = __shfl_xor_sync(0xffffffff, place, step);
      if (other > most || (other == most && other_place < place)) most = other, place = other_place;
    }
    if (lane == 0) values[row * kBest + best] = most, places[row * kBest + best] = place;
    last = most, last_place = place;
  }
}

int main() {
  const int rows = 7, width = 83, k = 5;
  Inputs inputs;
  std::vector<float> x(rows * width);
  for (float& v : x) v = float(inputs.next() % 60);
  OnCard<float> cx(x), values(rows * k);
  OnCard<int> places(rows * k);
  top<k><<<2, dim3(32, 4)>>>(cx, values, places, rows, width);
  const std::vector<float> got = values.fetch();
  const std::vector<int> where = places.fetch();
  for (int r = 0; r < rows; ++r) {
    std::vector<int> order(width);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[r * width + a] > x[r * width + b]; });
    for (int i = 0; i < k; ++i) EXPECT(where[r * k + i] == order[i] && got[r * k + i] == x[r * width + order[i]]);
  }
  return 0;
}
