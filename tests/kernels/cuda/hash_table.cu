// An open hash table of 64-bit entries: insertion by compare-and-swap, counts by 64-bit atomics, lookup by many threads.
#include <map>

#include "check.h"

constexpr unsigned kSlots = 1024;
constexpr unsigned long long kEmpty = ~0ull;
struct Entry { unsigned long long key, count; };

__host__ __device__ unsigned slot_of(unsigned long long key) {
  key ^= key >> 33, key *= 0xff51afd7ed558ccdull, key ^= key >> 33;
  return unsigned(key) % kSlots;
}
__global__ void clear(Entry* table) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSlots) table[i] = Entry{kEmpty, 0};
}
__global__ void insert(Entry* table, const unsigned long long* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned slot = slot_of(keys[i]);; slot = (slot + 1) % kSlots) {
    const unsigned long long found = atomicCAS(&table[slot].key, kEmpty, keys[i]);
    if (found != kEmpty && found != keys[i]) continue;
    atomicAdd(&table[slot].count, 1ull);
    return;
  }
}
__global__ void find(const Entry* table, const unsigned long long* keys, unsigned long long* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned slot = slot_of(keys[i]);
  while (table[slot].key != kEmpty && table[slot].key != keys[i]) slot = (slot + 1) % kSlots;
  counts[i] = table[slot].key == kEmpty ? 0 : table[slot].count;
}

int main() {
  Inputs inputs;
  std::vector<unsigned long long> keys(900), asked(300);
  std::map<unsigned long long, unsigned long long> wanted;
  for (auto& key : keys) ++wanted[key = (unsigned long long)(inputs.next() % 400) << 35 | 7];
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = (unsigned long long)(i * 2) << 35 | 7;
  OnCard<Entry> table(kSlots);
  OnCard<unsigned long long> ck(keys), ca(asked), counts(asked.size());
  clear<<<4, 256>>>(table);
  insert<<<15, 64>>>(table, ck, int(keys.size()));
  find<<<5, 64>>>(table, ca, counts, int(asked.size()));
  const std::vector<unsigned long long> got = counts.fetch();
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT(got[i] == (wanted.count(asked[i]) ? wanted[asked[i]] : 0));
  return 0;
}
