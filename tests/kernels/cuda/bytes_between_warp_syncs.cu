// Neighbouring bytes of one word go from lane to lane of a warp, and from thread to thread of a block, with a __syncwarp or barrier
// between: no exchange may be called a race, whichever byte of the word was used last. The twins without the synchronisation are
// wrong/missing-warp-sync-bytes.cu and wrong/shared-race-bytes.cu.
#include "check.h"

#include <cstring>

constexpr int kThreads = 64;

// Of four lanes the first reads a byte; after the barrier the second reads the byte beside it while the third writes the first one.
__global__ void taken_over(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[kThreads];
  const int t = threadIdx.x, part = t % 4, word = t - part;
  s[t] = in[t];
  __syncwarp();
  unsigned char seen = 0;
  if (part == 0) seen = s[word];
  __syncwarp();
  if (part == 1) seen = s[word + 1];
  if (part == 2) s[word] = 200;
  __syncwarp();
  if (part == 3) seen = s[word];
  out[t] = seen;
}
// Each step turns the bytes round by one: reader and writer of a byte are always neighbours, and every lane uses two bytes of a word.
__global__ void turned(const unsigned char* in, unsigned char* out, int steps) {
  __shared__ unsigned char s[kThreads];
  const int t = threadIdx.x, lane = t % 32, warp = t - lane;
  s[t] = in[t];
  __syncwarp();
  for (int i = 0; i < steps; ++i) {
    const unsigned char next = s[warp + (lane + 1) % 32];
    __syncwarp();
    s[t] = next;
    __syncwarp();
  }
  out[t] = s[t];
}
// The first lane of each word writes a byte, then another byte after the barrier; who reads the first one then reads what is old.
__global__ void written_one_by_one(unsigned char* out) {
  __shared__ unsigned char s[kThreads];
  const int t = threadIdx.x, lane = t % 32, warp = t - lane, word = lane / 4 * 4;
  for (int byte = 0; byte < 4; ++byte) {
    if (lane == word) s[warp + word + byte] = static_cast<unsigned char>(7 * t + byte);
    __syncwarp();
    // Bytes up to this one are written; lane byte+1 takes one while the first lane goes on to the next.
    if (lane == word + 1) out[t - 1 + byte] = s[warp + word + byte];
  }
}
// Whole words, then their bytes, then their halves.
__global__ void mixed_sizes(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[kThreads];
  auto* bytes = reinterpret_cast<unsigned char*>(s);
  auto* halves = reinterpret_cast<unsigned short*>(s);
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i) sum += bytes[i * kThreads + t];  // bytes of other threads' words
  __syncthreads();
  halves[t] = static_cast<unsigned short>(sum);
  __syncthreads();
  bytes[kThreads * 2 + t] = bytes[t ^ 3];
  __syncthreads();
  out[t] = s[t % (kThreads * 3 / 4)];
}
// Through global memory, one word held by four lanes.
__global__ void in_global_memory(unsigned char* bytes, int steps) {
  const int t = threadIdx.x, lane = t % 32, warp = t - lane;
  for (int i = 0; i < steps; ++i) {
    const unsigned char sum = static_cast<unsigned char>(bytes[warp + (lane ^ 1)] + bytes[warp + (lane ^ 3)] + i);
    __syncwarp();
    bytes[t] = sum;
    __syncwarp();
  }
}

int main() {
  auto chars = [](unsigned seed) {
    std::vector<unsigned char> made(kThreads);
    for (int i = 0; i < kThreads; ++i) made[i] = static_cast<unsigned char>(i * 37 + seed);
    return made;
  };
  const std::vector<unsigned char> in = chars(11);
  OnCard<unsigned char> card(in), out(kThreads);

  taken_over<<<1, kThreads>>>(card, out);
  std::vector<unsigned char> got = out.fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(got[i] == (i % 4 < 2 ? in[i] : i % 4 == 2 ? 0 : 200));

  const int steps = 5;
  turned<<<1, kThreads>>>(card, out, steps);
  got = out.fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(got[i] == in[i / 32 * 32 + (i + steps) % 32]);

  written_one_by_one<<<1, kThreads>>>(out);
  got = out.fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(got[i] == static_cast<unsigned char>(7 * (i / 4 * 4) + i % 4));

  std::vector<unsigned> words(kThreads);
  for (int i = 0; i < kThreads; ++i) words[i] = 0x01020304U * static_cast<unsigned>(i + 3);
  OnCard<unsigned> word_card(words), word_out(kThreads);
  mixed_sizes<<<1, kThreads>>>(word_card, word_out);
  std::vector<unsigned char> bytes(kThreads * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  std::vector<unsigned short> sums(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < 4; ++i) sums[t] = static_cast<unsigned short>(sums[t] + bytes[i * kThreads + t]);
  }
  std::memcpy(bytes.data(), sums.data(), kThreads * 2);
  for (int t = 0; t < kThreads; ++t) bytes[kThreads * 2 + t] = bytes[t ^ 3];
  std::memcpy(words.data(), bytes.data(), bytes.size());
  const std::vector<unsigned> word_got = word_out.fetch();
  for (int t = 0; t < kThreads; ++t) EXPECT(word_got[t] == words[t % (kThreads * 3 / 4)]);

  in_global_memory<<<1, kThreads>>>(card, steps);
  std::vector<unsigned char> now = in;
  for (int i = 0; i < steps; ++i) {
    const std::vector<unsigned char> before = now;
    for (int t = 0; t < kThreads; ++t) now[t] = static_cast<unsigned char>(before[t ^ 1] + before[t ^ 3] + i);
  }
  EXPECT(card.fetch() == now);
  std::puts("ok");
}
