// Variables, rows and arrays that only some threads change, at places no vector starts at: the others must keep what they had.
#include "check.h"

__global__ void keep(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = -1.0f;
  if (i < n) x = from[i];
  to[i] = x;
}

__global__ void middle(float* to, const float* from, int first, int last) {
  float x = threadIdx.x * 0.5f;
  if (threadIdx.x >= first) {
    if (threadIdx.x < last) x = from[threadIdx.x + 1] * 2.0f;
  }
  to[threadIdx.x] = x;
}

__global__ void shifted(float* to, const float* from) {
  __shared__ float row[140];
  row[threadIdx.x + 3] = from[threadIdx.x];
  if (threadIdx.x < 3) row[threadIdx.x] = 7.0f;
  if (threadIdx.x < 5) row[threadIdx.x + 131] = 9.0f;
  __syncthreads();
  to[threadIdx.x] = row[threadIdx.x + 1] + row[threadIdx.x + 5] * row[threadIdx.x + 8];
}

__global__ void by_three(float* to, const float* from) {
  to[threadIdx.x * 3 + 1] = from[threadIdx.x * 3] - from[threadIdx.x * 3 + 2];
}

__global__ void narrow(unsigned char* bytes, short* words, const short* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    words[i] = (short)(from[i] * 3);
    bytes[i] = (unsigned char)(from[i] >> 2);
  }
}

__global__ void rows_of_five(float* to, const float* from) {
  __shared__ float tile[3][5];
  float x = from[threadIdx.y * 5 + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = x;
  __syncthreads();
  to[threadIdx.y * 5 + threadIdx.x] = tile[(threadIdx.y + 1) % 3][threadIdx.x] + x;
}

int main() {
  const int size = 128;
  const std::vector<float> from = floats(3 * size);
  float* source = to_card(from);
  const std::vector<float> empty(3 * size, -5.0f);
  for (int n : {1, 7, 33, 61, 128}) {
    float* to = to_card(empty);
    keep<<<2, 64>>>(to, source, n);
    const std::vector<float> got = from_card(to, size);
    for (int i = 0; i < size; ++i) expect(got[i], i < n ? from[i] : -1.0f, 0, "keep", i);
  }
  {
    float* to = to_card(empty);
    middle<<<1, 100>>>(to, source, 13, 42);
    const std::vector<float> got = from_card(to, 100);
    for (int i = 0; i < 100; ++i) expect(got[i], i >= 13 && i < 42 ? from[i + 1] * 2.0f : i * 0.5f, 0, "middle", i);
  }
  {
    float* to = to_card(empty);
    shifted<<<1, 128>>>(to, source);
    const std::vector<float> got = from_card(to, size);
    std::vector<float> row(140, 9.0f);
    for (int i = 0; i < 3; ++i) row[i] = 7.0f;
    for (int i = 0; i < 128; ++i) row[i + 3] = from[i];
    for (int i = 0; i < size; ++i) expect(got[i], row[i + 1] + row[i + 5] * row[i + 8], 1e-5, "shifted", i);
  }
  {
    float* to = to_card(empty);
    by_three<<<1, 128>>>(to, source);
    const std::vector<float> got = from_card(to, 3 * size);
    for (int i = 0; i < size; ++i) {
      expect(got[3 * i], -5.0f, 0, "by three", i);
      expect(got[3 * i + 1], from[3 * i] - from[3 * i + 2], 0, "by three", i);
    }
  }
  {
    std::vector<short> words(101), to_words(128, -1);
    std::vector<unsigned char> bytes(128, 255);
    for (int i = 0; i < 101; ++i) words[i] = (short)(i * 37 - 900);
    short *words_card = to_card(words), *to_words_card = to_card(to_words);
    unsigned char* bytes_card = to_card(bytes);
    narrow<<<4, 32>>>(bytes_card, to_words_card, words_card, 101);
    to_words = from_card(to_words_card, 128);
    bytes = from_card(bytes_card, 128);
    CHECK(cudaFree(words_card));
    for (int i = 0; i < 128; ++i) {
      expect(to_words[i], i < 101 ? (short)(words[i] * 3) : -1, 0, "words", i);
      expect(bytes[i], i < 101 ? (unsigned char)(words[i] >> 2) : 255, 0, "bytes", i);
    }
  }
  {
    float* to = to_card(empty);
    rows_of_five<<<1, dim3(5, 3)>>>(to, source);
    const std::vector<float> got = from_card(to, 15);
    for (int i = 0; i < 15; ++i) expect(got[i], from[(i + 5) % 15] + from[i], 0, "rows of five", i);
  }
  CHECK(cudaFree(source));
}
