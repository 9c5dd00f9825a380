// Breadth-first search level by level: compare-and-swap claims a vertex, an atomic counter gives its place in the next queue.
#include "check.h"

__device__ int queue_length;

__global__ void expand(const int* starts, const int* edges, int* depth, const int* queue, int length, int* next, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  const int from = queue[i];
  for (int e = starts[from]; e < starts[from + 1]; ++e)
    if (atomicCAS(&depth[edges[e]], -1, level) == -1) next[atomicAdd(&queue_length, 1)] = edges[e];
}

int main() {
  const int n = 300;
  Inputs inputs;
  std::vector<int> starts = {0}, edges, depth(n, -1), wanted(n, -1), queue = {0};
  for (int v = 0; v < n; ++v) {
    for (int e = inputs.next() % 4; e > 0; --e) edges.push_back(int(inputs.next() % n));
    starts.push_back(int(edges.size()));
  }
  depth[0] = wanted[0] = 0;
  OnCard<int> cs(starts), ce(edges), cd(depth), a(n), b(n);
  CHECK(cudaMemcpy(a.data, queue.data(), sizeof(int), cudaMemcpyHostToDevice));
  int *from = a, *to = b, length = 1;
  for (int level = 1; length > 0; ++level) {
    const int zero = 0;
    CHECK(cudaMemcpyToSymbol(queue_length, &zero, sizeof zero));
    expand<<<(length + 31) / 32, 32>>>(cs, ce, cd, from, length, to, level);
    CHECK(cudaMemcpyFromSymbol(&length, queue_length, sizeof length));
    std::swap(from, to);
  }
  for (int level = 1; !queue.empty(); ++level) {
    std::vector<int> next;
    for (int v : queue)
      for (int e = starts[v]; e < starts[v + 1]; ++e)
        if (wanted[edges[e]] < 0) wanted[edges[e]] = level, next.push_back(edges[e]);
    queue = next;
  }
  EXPECT(cd.fetch() == wanted);
  return 0;
}
