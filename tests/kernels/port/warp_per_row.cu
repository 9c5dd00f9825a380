// One warp per row of a matrix: whole warps leave early, loop on their own, reduce and normalise.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void normalise(const float* in, float* out, float* mean, int rows, int columns) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  const float* x = in + row * columns;
  float sum = 0;
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  const float middle = sum / columns;
  if (warp.thread_rank() == 0 && mean != nullptr) mean[row] = middle;
  float squares = 0;
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) squares += (x[i] - middle) * (x[i] - middle);
  squares = cg::reduce(warp, squares, cg::plus<float>{});
  const float scale = rsqrtf(squares / columns + 1e-5f);
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) out[row * columns + i] = (x[i] - middle) * scale;
}

__global__ void largest(const float* in, float* out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best = -1e30f;
  for (int i = lane; i < columns; i += 32) best = fmaxf(best, in[row * columns + i]);
  for (int offset = 16; offset > 0; offset /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, offset));
  if (lane == 0) out[row] = best;
}

int main() {
  const int rows = 13, columns = 77;
  const std::vector<float> in = floats(rows * columns);
  float* from = to_card(in);
  float* to = to_card(std::vector<float>(in.size(), 0.0f));
  float* mean = to_card(std::vector<float>(rows, 0.0f));
  float* best = to_card(std::vector<float>(rows, 0.0f));
  normalise<<<4, 128>>>(from, to, mean, rows, columns);
  largest<<<7, 64>>>(from, best, rows, columns);
  const std::vector<float> means = from_card(mean, rows), out = from_card(to, rows * columns), bests = from_card(best, rows);
  for (int row = 0; row < rows; ++row) {
    double sum = 0, squares = 0, top = -1e30;
    for (int i = 0; i < columns; ++i) sum += in[row * columns + i], top = std::fmax(top, in[row * columns + i]);
    for (int i = 0; i < columns; ++i) squares += std::pow(in[row * columns + i] - sum / columns, 2);
    expect(means[row], sum / columns, 1e-5, "mean", row);
    expect(bests[row], top, 0, "largest", row);
    for (int i = 0; i < columns; ++i)
      expect(out[row * columns + i], (in[row * columns + i] - sum / columns) / std::sqrt(squares / columns + 1e-5), 1e-4, "value", i);
  }
  CHECK(cudaFree(from));
}
