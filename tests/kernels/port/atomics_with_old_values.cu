// Atomics whose old value decides: places handed out, locks of a table, the largest of unsigned numbers.
#include "check.h"

__device__ unsigned taken;

__global__ void compact(int* to, unsigned* count, int* sum, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && from[i] % 3 == 0) {
    const unsigned place = atomicAdd(count, 1u);
    to[place] = 1;
    atomicAdd(sum, from[i]);
  }
}

__global__ void insert(int* table, int* fresh, const int* keys, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = keys[i] % size;
  while (true) {
    const int seen = atomicCAS(&table[at], -1, keys[i]);
    if (seen == -1) {
      atomicAdd(fresh, 1);
      break;
    }
    if (seen == keys[i]) break;
    at = (at + 1) % size;
  }
}

__global__ void extremes(unsigned* most, unsigned* least, int* bits, const unsigned* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMax(most, from[i]);
  atomicMin(least, from[i]);
  atomicOr(&bits[0], (int)(from[i] & 0xff));
  atomicXor(&bits[1], (int)from[i]);
  atomicExch(&taken, 5u);
}

int main() {
  const int n = 500, size = 1024;
  std::vector<int> from = integers(n, 300);
  int* source = to_card(from);
  {
    int* to = to_card(std::vector<int>(n, -1));
    int* sum = to_card(std::vector<int>(1, 0));
    unsigned* count = to_card(std::vector<unsigned>(1, 0));
    compact<<<8, 64>>>(to, count, sum, source, n);
    const std::vector<int> got = from_card(to, n);
    int wanted = 0, wanted_sum = 0;
    for (int value : from) {
      if (value % 3 == 0) ++wanted, wanted_sum += value;
    }
    expect(from_card(count, 1)[0], wanted, 0, "count", 0);
    expect(from_card(sum, 1)[0], wanted_sum, 0, "sum", 0);
    for (int i = 0; i < n; ++i) expect(got[i], i < wanted ? 1 : -1, 0, "place", i);
  }
  {
    int *table = to_card(std::vector<int>(size, -1)), *fresh = to_card(std::vector<int>(1, 0));
    insert<<<8, 64>>>(table, fresh, source, n, size);
    CHECK(cudaFree(table));
    std::sort(from.begin(), from.end());
    const int distinct = (int)(std::unique(from.begin(), from.end()) - from.begin());
    expect(from_card(fresh, 1)[0], distinct, 0, "distinct", 0);
  }
  {
    std::vector<unsigned> values(n);
    for (unsigned& value : values) value = draw() * 977u;
    unsigned *most = to_card(std::vector<unsigned>(1, 0u)), *least = to_card(std::vector<unsigned>(1, ~0u)), *card = to_card(values);
    int* bits = to_card(std::vector<int>(2, 0));
    extremes<<<8, 64>>>(most, least, bits, card, n);
    unsigned largest = 0, smallest = ~0u, now = 0;
    int either = 0, odd = 0;
    for (unsigned value : values) {
      largest = std::max(largest, value), smallest = std::min(smallest, value);
      either |= (int)(value & 0xff), odd ^= (int)value;
    }
    expect(from_card(most, 1)[0], largest, 0, "most", 0);
    expect(from_card(least, 1)[0], smallest, 0, "least", 0);
    const std::vector<int> got = from_card(bits, 2);
    expect(got[0], either, 0, "or", 0);
    expect(got[1], odd, 0, "xor", 0);
    CHECK(cudaMemcpyFromSymbol(&now, taken, sizeof(now)));
    expect(now, 5, 0, "exchanged", 0);
    CHECK(cudaFree(card));
  }
  CHECK(cudaFree(source));
}
