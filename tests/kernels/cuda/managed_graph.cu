// Managed memory and structures that point into it; prefetch and advice; a managed variable; host and kernel by turns.
#include "check.h"

struct Node { float value; int degree; int* neighbours; };
__managed__ int rounds = 0;
__device__ __managed__ float total;

__global__ void spread(const Node* nodes, float* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < nodes[i].degree; ++k) sum += nodes[nodes[i].neighbours[k]].value;
  next[i] = nodes[i].degree == 0 ? nodes[i].value : sum / nodes[i].degree;
  if (i == 0) ++rounds;
  atomicAdd(&total, 1.0f);
}

int main() {
  const int n = 50;
  Node* nodes;
  float* next;
  CHECK(cudaMallocManaged(&nodes, n * sizeof(Node)));
  CHECK(cudaMallocManaged(&next, n * sizeof(float)));
  Inputs inputs;
  std::vector<float> value(n);
  total = 0;
  for (int i = 0; i < n; ++i) {
    nodes[i].value = value[i] = inputs.unit();
    nodes[i].degree = int(inputs.next() % 4);
    CHECK(cudaMallocManaged(&nodes[i].neighbours, 4 * sizeof(int)));
    for (int k = 0; k < nodes[i].degree; ++k) nodes[i].neighbours[k] = int(inputs.next() % n);
  }
  CHECK(cudaMemPrefetchAsync(nodes, n * sizeof(Node), 0));
  for (int round = 0; round < 4; ++round) {
    spread<<<2, 32>>>(nodes, next, n);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> wanted(n);
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int k = 0; k < nodes[i].degree; ++k) sum += value[nodes[i].neighbours[k]];
      wanted[i] = nodes[i].degree == 0 ? value[i] : sum / nodes[i].degree;
    }
    value = wanted;
    for (int i = 0; i < n; ++i) {
      EXPECT(next[i] == value[i]);
      nodes[i].value = next[i];
    }
  }
  EXPECT(rounds == 4 && total == 4 * n);
  for (int i = 0; i < n; ++i) CHECK(cudaFree(nodes[i].neighbours));
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(next));
  return 0;
}
