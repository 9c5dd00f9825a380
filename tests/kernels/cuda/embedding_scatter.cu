// Embedding forward (float4 copies) and backward (atomic sums into rows that repeat); assertions on the indices.
#include <cassert>

#include "check.h"

__global__ void forward(const int* tokens, const float* table, const float* positions, float* out, int length, int vocabulary, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length * quads) return;
  const int t = i / quads, q = i % quads;
  assert(tokens[t] >= 0 && tokens[t] < vocabulary);
  const float4 a = reinterpret_cast<const float4*>(table)[tokens[t] * quads + q], b = __ldcs(&reinterpret_cast<const float4*>(positions)[t * quads + q]);
  __stcs(&reinterpret_cast<float4*>(out)[i], make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w));
}
__global__ void backward(const int* tokens, const float* dout, float* dtable, int length, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length * width; i += gridDim.x * blockDim.x)
    atomicAdd(dtable + tokens[i / width] * width + i % width, dout[i]);
}

int main() {
  const int length = 40, vocabulary = 11, width = 24;
  Inputs inputs;
  const std::vector<int> tokens = inputs.ints(length, vocabulary);
  const std::vector<float> table = inputs.floats(vocabulary * width), positions = inputs.floats(length * width), dout = inputs.floats(length * width);
  std::vector<float> out(length * width), dtable(table.size(), 0.0f);
  for (int i = 0; i < length * width; ++i) {
    out[i] = table[tokens[i / width] * width + i % width] + positions[i];
    dtable[tokens[i / width] * width + i % width] += dout[i];
  }
  OnCard<int> ct(tokens);
  OnCard<float> table_on_card(table), cp(positions), cd(dout), co(out.size()), cdt(table.size());
  forward<<<4, 64>>>(ct, table_on_card, cp, co, length, vocabulary, width / 4);
  EXPECT(co.fetch() == out);
  cdt.zero();
  backward<<<3, 50>>>(ct, cd, cdt, length, width);
  same(cdt.fetch(), dtable, 1e-5);
  return 0;
}
