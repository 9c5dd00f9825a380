// Softmax cross-entropy with its gradient, one warp per row, online maximum and sum; float4 loads where the row allows.
#include "check.h"

__global__ void cross_entropy(const float* logits, const int* targets, float* losses, float* gradients, int rows, int classes) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* x = reinterpret_cast<const float4*>(logits + row * classes);
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < classes / 4; i += 32) {
    const float4 v = __ldg(&x[i]);
    const float next = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), most);
    sum = sum * expf(most - next) + expf(v.x - next) + expf(v.y - next) + expf(v.z - next) + expf(v.w - next);
    most = next;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other_most = __shfl_xor_sync(0xffffffff, most, step), other_sum = __shfl_xor_sync(0xffffffff, sum, step);
    const float next = fmaxf(most, other_most);
    sum = (most == -INFINITY ? 0 : sum * expf(most - next)) + (other_most == -INFINITY ? 0 : other_sum * expf(other_most - next));
    most = next;
  }
  const int target = targets[row];
  if (lane == 0) losses[row] = logf(sum) + most - logits[row * classes + target];
  for (int i = lane; i < classes; i += 32)
    gradients[row * classes + i] = (expf(logits[row * classes + i] - most) / sum - (i == target ? 1.0f : 0.0f)) / rows;
}

int main() {
  const int rows = 9, classes = 100;
  Inputs inputs;
  std::vector<float> logits = inputs.floats(rows * classes), losses(rows), gradients(rows * classes);
  const std::vector<int> targets = inputs.ints(rows, classes);
  for (float& v : logits) v *= 20;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < classes; ++i) sum += std::exp(double(logits[r * classes + i]));
    losses[r] = float(std::log(sum) - logits[r * classes + targets[r]]);
    for (int i = 0; i < classes; ++i)
      gradients[r * classes + i] = float((std::exp(double(logits[r * classes + i])) / sum - (i == targets[r])) / rows);
  }
  OnCard<float> cl(logits), closs(rows), cg(rows * classes);
  OnCard<int> ct(targets);
  cross_entropy<<<3, 128>>>(cl, ct, closs, cg, rows, classes);
  CHECK(cudaDeviceSynchronize());
  same(closs.fetch(), losses, 1e-5);
  same(cg.fetch(), gradients, 1e-5);
  return 0;
}
