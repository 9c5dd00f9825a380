// What the host sends differs from run to run: the comparison is of the kernels alone.
#include <chrono>
#include <vector>

#include "check.h"

__global__ void hash_words(const unsigned int* in, unsigned int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned int x = in[i];
  x ^= x >> 15;
  x *= 0x2c1b3c6dU;
  out[i] = x ^ (x >> 12);
}

int main() {
  const int count = 1000;
  std::vector<unsigned int> in(count), out(count);
  unsigned int now = static_cast<unsigned int>(std::chrono::steady_clock::now().time_since_epoch().count());
  for (unsigned int& word : in) word = now = now * 1664525u + 1013904223u;
  unsigned int *in_card = nullptr, *out_card = nullptr;
  CHECK(cudaMalloc(&in_card, count * sizeof in[0]));
  CHECK(cudaMalloc(&out_card, count * sizeof in[0]));
  CHECK(cudaMemcpy(in_card, in.data(), count * sizeof in[0], cudaMemcpyHostToDevice));
  hash_words<<<4, 256>>>(in_card, out_card, count);
  CHECK(cudaMemcpy(out.data(), out_card, count * sizeof in[0], cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in_card));
  CHECK(cudaFree(out_card));
  return 0;
}
