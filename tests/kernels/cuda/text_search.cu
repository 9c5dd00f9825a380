// Bytes: occurrences of a pattern, letters counted without case, a checksum by words; __byte_perm, __vabsdiffu4, unaligned tails.
#include <cctype>
#include <cstring>
#include <string>

#include "check.h"

__constant__ char pattern[16];

__global__ void occurrences(const char* text, int length, int pattern_length, int* count, unsigned char* marks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  bool is_here = i + pattern_length <= length;
  for (int k = 0; is_here && k < pattern_length; ++k) is_here = text[i + k] == pattern[k];
  marks[i] = is_here;
  if (is_here) atomicAdd(count, 1);
}
__global__ void letters(const char* text, int length, unsigned* counts) {
  __shared__ unsigned own[26];
  if (threadIdx.x < 26) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
    const char c = text[i] | 32;
    if (c >= 'a' && c <= 'z') atomicAdd(&own[c - 'a'], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 26) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
__global__ void difference(const unsigned* a, const unsigned* b, unsigned* out, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = __vabsdiffu4(__byte_perm(a[i], 0, 0x0123), b[i]);
}

int main() {
  std::string text;
  for (int i = 0; i < 60; ++i) text += i % 3 ? "the Chip of the " : "a thethe ";
  const int length = int(text.size());
  CHECK(cudaMemcpyToSymbol(pattern, "the", 3));
  OnCard<char> card(std::vector<char>(text.begin(), text.end()));
  OnCard<int> count(1);
  OnCard<unsigned char> marks(length);
  OnCard<unsigned> counts(26), out(20);
  count.zero(), counts.zero();
  occurrences<<<(length + 63) / 64, 64>>>(card, length, 3, count, marks);
  letters<<<2, 64>>>(card, length, counts);
  int wanted = 0;
  const std::vector<unsigned char> got = marks.fetch();
  for (int i = 0; i < length; ++i) {
    const bool is_here = text.compare(i, 3, "the") == 0;
    EXPECT(got[i] == is_here);
    wanted += is_here;
  }
  EXPECT(count.fetch()[0] == wanted);
  const std::vector<unsigned> found = counts.fetch();
  for (int c = 0; c < 26; ++c)
    EXPECT(found[c] == (unsigned)std::count_if(text.begin(), text.end(), [&](char x) { return std::tolower(x) == 'a' + c; }));
  std::vector<unsigned> a(20), b(20);
  for (int i = 0; i < 20; ++i) a[i] = 0x01020304u * (i + 1), b[i] = 0x10f00f01u + i;
  OnCard<unsigned> ca(a), cb(b);
  difference<<<1, 32>>>(ca, cb, out, 20);
  const std::vector<unsigned> bytes = out.fetch();
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 4; ++k) {
      const int x = a[i] >> (24 - 8 * k) & 255, y = b[i] >> 8 * k & 255;
      EXPECT((bytes[i] >> 8 * k & 255) == (unsigned)std::abs(x - y));
    }
  return 0;
}
